/// The state of the servers, as a client has recorded it.
public struct RedisStatus: Sendable, Hashable {
  /// Whether they are a cluster; `nil` before any has answered.
  public var isCluster: Bool?
  /// The masters that have slots.
  public var masters: [RedisEndpoint] = []
  /// Their replicas.
  public var replicas: [RedisEndpoint] = []
  /// Nodes that are left alone because they failed.
  public var down: [RedisEndpoint] = []
  /// Slots that no node has, of 16,384.
  public var uncoveredSlotCount = 0
}
