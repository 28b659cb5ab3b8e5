import ChatModel
import Heartwire
import SwiftUI

// For iOS. Type-checked against a stand-in for SwiftUI (scripts/check-apple), never compiled or run on Apple's own.

@main
struct ChatApp: App {
    var body: some Scene {
        WindowGroup { JoinView() }
    }
}

/// Asks for the server and a name, then shows the room.
struct JoinView: View {
    @State private var url = "ws://127.0.0.1:9000/?echo=all"
    @State private var name = ""
    @State private var problem = ""
    @State private var session: ChatSession?

    var body: some View {
        if let session {
            RoomView(session: session)
        } else {
            VStack {
                TextField("Server", text: $url)
                TextField("Name", text: $name)
                Button("Join") { join() }
                    .disabled(name.isEmpty)
                Text(problem)
            }
        }
    }

    private func join() {
        do {
            session = try ChatSession(url, as: name)
        } catch {
            problem = "\(error)"
        }
    }
}
