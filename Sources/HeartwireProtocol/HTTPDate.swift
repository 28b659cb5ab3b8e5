/// Dates of HTTP as seconds, to be compared with one another: the wall clock is not asked.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    private static let longWeekdays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    /// The seconds since 1970 of a date in any of the three forms that a recipient has to take (RFC 9110 §5.6.7):
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`;
    /// `nil` for anything else. The name of the day is not compared with the date.
    static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        return bytes.contains(UInt8(ascii: "-"))
            ? obsolete(bytes) : bytes.count == 24 ? asctime(bytes) : fixed(bytes)
    }

    private static func fixed(_ bytes: [UInt8]) -> Int? {
        guard bytes.count == 29, weekdays.contains(String(decoding: bytes[..<3], as: UTF8.self)),
            matches(bytes, 3, ", "), matches(bytes, 7, " "), matches(bytes, 11, " "),
            matches(bytes, 16, " "), matches(bytes, 25, " GMT")
        else { return nil }
        return seconds(number(bytes[12..<16]), bytes[8..<11], number(bytes[5..<7]), bytes[17..<25])
    }

    /// The form of RFC 850. Two digits are a year from 1970 to 2069.
    private static func obsolete(_ bytes: [UInt8]) -> Int? {
        let day = bytes.prefix { $0 != UInt8(ascii: ",") }
        let rest = Array(bytes.dropFirst(day.count))
        guard longWeekdays.contains(String(decoding: day, as: UTF8.self)), rest.count == 24,
            matches(rest, 0, ", "), matches(rest, 4, "-"), matches(rest, 8, "-"),
            matches(rest, 11, " "), matches(rest, 20, " GMT"), let year = number(rest[9..<11])
        else { return nil }
        return seconds(
            year < 70 ? 2_000 + year : 1_900 + year, rest[5..<8], number(rest[2..<4]), rest[12..<20]
        )
    }

    /// The form of C's `asctime()`, which fills the day with a space.
    private static func asctime(_ bytes: [UInt8]) -> Int? {
        guard weekdays.contains(String(decoding: bytes[..<3], as: UTF8.self)),
            matches(bytes, 3, " "), matches(bytes, 7, " "), matches(bytes, 10, " "),
            matches(bytes, 19, " ")
        else { return nil }
        let day = bytes[8] == UInt8(ascii: " ") ? bytes[9..<10] : bytes[8..<10]
        return seconds(number(bytes[20..<24]), bytes[4..<7], number(day), bytes[11..<19])
    }

    /// - Parameter time: `08:49:37`.
    private static func seconds(
        _ year: Int?, _ month: ArraySlice<UInt8>, _ day: Int?, _ time: ArraySlice<UInt8>
    ) -> Int? {
        let time = Array(time)
        guard matches(time, 2, ":"), matches(time, 5, ":"), let year, let day,
            let month = months.firstIndex(of: String(decoding: month, as: UTF8.self)),
            let hour = number(time[0..<2]), let minute = number(time[3..<5]),
            let second = number(time[6..<8])
        else { return nil }
        // RFC 9110 §5.6.7 allows a leap second.
        guard (1...31).contains(day), hour < 24, minute < 60, second <= 60 else { return nil }
        return days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func matches(_ bytes: [UInt8], _ offset: Int, _ text: String) -> Bool {
        bytes[offset..<(offset + text.utf8.count)].elementsEqual(text.utf8)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(HTTPSyntax.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    }

    /// The days since 1970-01-01 in the Gregorian calendar, with years that begin in March, so that the leap day comes last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let leaps = shifted / 4 - shifted / 100 + shifted / 400
        return shifted * 365 + leaps + (monthFromMarch * 153 + 2) / 5 + day - 1 - 719_468
    }
}
