import ChatModel
import Heartwire
import SwiftUI

/// The conversation, with the state above it and a field beneath.
struct RoomView: View {
    let session: ChatSession
    @State private var draft = ""
    @State private var problem = ""
    /// Suspends the session while the app is away, and has it look after its connection when it is back.
    @State private var life: AppLifeCycle?

    var body: some View {
        VStack {
            Text(ChatNews.text(of: session.state))
            List(session.room.lines) { line in
                LineView(line: line, mark: mark(of: line))
            }
            Text(problem)
            HStack {
                TextField("Say something", text: $draft)
                Button("Send") { send() }
                    .disabled(draft.isEmpty)
            }
        }
        .task {
            life = AppLifeCycle(session.client)
            await session.run()
        }
    }

    private func mark(of line: ChatLine) -> ChatMark? {
        line.id.author == session.room.me ? session.room.marks[line.id.number] : nil
    }

    private func send() {
        let text = draft
        draft = ""
        Task {
            do throws(DeliveryError) {
                try await session.say(text)
            } catch {
                problem = "\(error)"
            }
        }
    }
}

/// One line, with how far it has come where it is one's own.
struct LineView: View {
    let line: ChatLine
    let mark: ChatMark?

    var body: some View {
        HStack {
            Text(line.id.author.name)
            Text(line.text)
            Text(mark?.symbol ?? "")
        }
    }
}
