/// Dates of HTTP as seconds, to be compared with one another: the wall clock is not asked.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// The seconds since 1970 of an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); `nil` for
    /// anything else, the two obsolete forms included. The name of the day is not compared with the date.
    static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, weekdays.contains(String(decoding: bytes[..<3], as: UTF8.self)),
            matches(bytes, 3, ", "), matches(bytes, 7, " "), matches(bytes, 11, " "),
            matches(bytes, 16, " "), matches(bytes, 19, ":"), matches(bytes, 22, ":"),
            matches(bytes, 25, " GMT"),
            let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)),
            let day = number(bytes[5..<7]), let year = number(bytes[12..<16]),
            let hour = number(bytes[17..<19]), let minute = number(bytes[20..<22]),
            let second = number(bytes[23..<25])
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
