import HTTPTypes
import Testing

@testable import HTTPCaching
@testable import ImageModel

@Suite struct `White space in requests that Vary compares` {
  private func key(_ value: String) -> VaryKey? {
    VaryKey(answer: [.vary: "User-Agent"], request: [.userAgent: value])
  }

  /// RFC 9111 §4.1 lets a cache ignore white space only where the grammar of the field says so.
  @Test(arguments: [
    ("a b", "a  b"), ("a b", "a\tb"), ("\"a b\"", "\"a  b\""), ("\"a,b\"", "\"a, b\""),
  ])
  func `counts inside a value and inside quotes`(one: String, other: String) {
    #expect(key(one) != key(other))
  }
}
