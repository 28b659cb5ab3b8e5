import HeartwireProtocol
import HeartwireSession

// What the machine wants done. Each effect was compared with the present generation right before it runs.
extension ClientCore {
    func run(_ effect: SessionEffect, _ old: JournalEvent.State) {
        switch effect {
        case .askForRequest(let generation, let attempt): askForRequest(generation, attempt)
        case .openTransport(let generation): openTransport(generation)
        case .sendPing(let generation, let id):
            record(.pingSent, generation)
            transport?.ping(id)
            delivery?.pingSent(id)
        case .closeTransport(let generation, let code, let reason):
            record(.closeSent, generation, number: code.map { Int($0.rawValue) })
            transport?.close(code, reason: reason)
            stopPausing()
        case .abortTransport(let generation):
            record(.aborted, generation, in: old)
            dropTransport(generation)
        case .connectionEnded(let generation, let cause):
            record(.closed, generation, in: old, cause: cause.kind, number: cause.number)
            tellEnd(generation, cause)
            connectionEnded(generation)
        case .publish(let state): publish(state, old)
        }
    }

    private func publish(_ state: SessionState, _ old: JournalEvent.State) {
        record(state, after: old)
        delivery?.entered(state)
        watchPaths(in: state)
        states.publish(state)
        if case .stopped = state { finishConsumers() }
    }

    private func askForRequest(_ generation: Generation, _ attempt: Int) {
        record(.requestAsked, generation)
        switch source {
        case .fixed(let request): provided(generation, request)
        case .provider(let url, let provider):
            let attempt = ConnectionAttempt(url: url.value, generation: generation, number: attempt)
            providerTask?.cancel()
            providerTask = Task(executorPreference: executor.taskExecutor) {
                await self.ask(provider, attempt)
            }
        }
    }

    /// Asks the provider and enters the domain with its answer, however late that is: the gate decides whether it
    /// still counts (promise R4).
    private func ask(_ provider: Provider, _ attempt: ConnectionAttempt) async {
        let generation = attempt.generation
        let answer: Result<ConnectionRequest, any Error>
        do {
            answer = .success(try await provider(attempt))
        } catch {
            answer = .failure(error)
        }
        executor.execute {
            switch answer {
            case .success(let request):
                self.provided(generation, request)
                // A late answer leaves nothing behind.
                self.request = nil
            case .failure(let error): self.handle(.requestFailed(generation, "\(type(of: error))"))
            }
        }
    }

    private func provided(_ generation: Generation, _ request: ConnectionRequest) {
        self.request = request
        handle(.requestProvided(generation))
    }

    private func openTransport(_ generation: Generation) {
        guard let request else { return }
        self.request = nil
        let transport = factory.makeTransport(generation, request: request, observer: self)
        self.transport = transport
        transportGeneration = generation
        transport.open()
    }

    private func dropTransport(_ generation: Generation) {
        guard generation == transportGeneration else { return }
        transport?.abort()
        transport = nil
    }

    private func connectionEnded(_ generation: Generation) {
        providerTask?.cancel()
        providerTask = nil
        request = nil
        if generation == transportGeneration { transport = nil }
        opened = nil
        isReadingPaused = false
        isClosing = false
        delivery?.ended(generation)
        resumeWriters(.connectionEnded)
        resumeOutgoing()
    }
}
