/// A comparison with its inputs made, ready to run.
public struct Contest: Sendable {
  /// Runs the operation this many times.
  public typealias Side = @Sendable (_ count: Int) async throws -> Void

  let ours: Side
  let limit: Side?
  let end: @Sendable () async -> Void

  /// - Parameter end: Gives back what was taken. Default: nothing was.
  public init(
    ours: @escaping Side, limit: Side? = nil, end: @escaping @Sendable () async -> Void = {}
  ) {
    self.ours = ours
    self.limit = limit
    self.end = end
  }
}
