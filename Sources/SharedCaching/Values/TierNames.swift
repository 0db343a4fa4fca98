import HTTPCaching
import ImageModel
import RedisClustering

/// The names of keys in the servers.
struct TierNames: Sendable {
  /// Keeps the values of several services apart.
  let namespace: String

  /// The 32 digits that name a source. Without a namespace they are those of the tag of its URL.
  func source(_ url: ExactString) -> String {
    hash(namespace.isEmpty ? url.text : "\(namespace)\0\(url.text)", digits: 32)
  }

  /// The key of a source's generation.
  func generation(_ key: TierKey) -> RedisCommand.Argument { "ic1:{\(source(key.url))}:g" }

  /// The key of a value.
  func value(_ key: TierKey) -> RedisCommand.Argument { "ic1:{\(source(key.url))}:\(part(key))" }

  /// The key of the lock for making a value.
  func lock(_ key: TierKey) -> RedisCommand.Argument { "ic1:{\(source(key.url))}:l:\(part(key))" }

  /// The name of a value in an object store.
  func object(_ key: TierKey) -> String {
    let source = source(key.url)
    let part = key.variant.map { "t/\(hash($0.text, digits: 16))" } ?? "o"
    return "ic1/\(source.prefix(2))/\(source)/\(part)"
  }

  /// The key of the list of purges by tag.
  var purges: RedisCommand.Argument { "ic1:{\(namespace)}:purges" }

  var channelArgument: RedisCommand.Argument { RedisCommand.Argument(channel) }

  /// The channel on which purges are published.
  var channel: String { namespace.isEmpty ? "ic1:inv" : "ic1:inv:\(namespace)" }

  private func part(_ key: TierKey) -> String {
    key.variant.map { "t:\(hash($0.text, digits: 16))" } ?? "o"
  }

  private func hash(_ text: String, digits: Int) -> String {
    var text = text
    let hash = text.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }
    return String(hash.hex.prefix(digits))
  }
}
