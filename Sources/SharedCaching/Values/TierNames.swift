import HTTPCaching
import ImageModel
import RedisClustering

struct TierNames: Sendable {
  let namespace: String

  /// The 32 digits that name a source. Without a namespace they are those of the tag of its URL.
  func source(_ url: ExactString) -> String {
    hash(namespace.isEmpty ? url.text : "\(namespace)\0\(url.text)", digits: 32)
  }

  func generation(_ key: TierKey) -> RedisCommand.Argument { "ic1:{\(source(key.url))}:g" }

  func value(_ key: TierKey) -> RedisCommand.Argument { "ic1:{\(source(key.url))}:\(part(key))" }

  func lock(_ key: TierKey) -> RedisCommand.Argument { "ic1:{\(source(key.url))}:l:\(part(key))" }

  func object(_ key: TierKey) -> String {
    let source = source(key.url)
    let part = key.variant.map { "t/\(hash($0.text, digits: 16))" } ?? "o"
    return "ic1/\(source.prefix(2))/\(source)/\(part)"
  }

  var purges: RedisCommand.Argument { "ic1:{\(namespace)}:purges" }

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
