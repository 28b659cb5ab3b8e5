public import HeartwireProtocol

/// Who decides how the endpoint treats a connection (promise A1).
public indirect enum EndpointScript: Sendable {
    /// The query of the request, see ``EndpointBehaviour/init(target:)``. A query that asks for
    /// nothing known is refused with HTTP 400 and a line that says why.
    case byQuery
    /// The query of the request where it has one; a connection whose URL has none is treated like this.
    case byQueryElse(EndpointBehaviour)
    /// Every connection is treated like this, whatever it asks for.
    case always(EndpointBehaviour)
    /// The n-th accepted connection is treated by the n-th of these, later ones by `then`.
    case sequence([EndpointBehaviour], then: EndpointScript)
    /// The function is asked with the connection's number, from 1, and what the client asked for.
    case custom(@Sendable (Int, OpeningRequestHead) -> EndpointBehaviour)

    /// The behaviour for the connection with this number, from 1.
    ///
    /// - Throws: ``EndpointBehaviourError`` when the query decides and is not understood.
    public func behaviour(
        connection number: Int, request: OpeningRequestHead
    ) throws(EndpointBehaviourError) -> EndpointBehaviour {
        switch self {
        case .byQuery: return try EndpointBehaviour(target: request.target)
        case .byQueryElse(let behaviour):
            guard request.target.contains("?") else { return behaviour }
            return try EndpointBehaviour(target: request.target)
        case .always(let behaviour): return behaviour
        case .sequence(let behaviours, let rest):
            guard number <= behaviours.count else {
                return try rest.behaviour(connection: number, request: request)
            }
            return behaviours[number - 1]
        case .custom(let decide): return decide(number, request)
        }
    }
}
