#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension [UInt8] {
  /// Whether the bytes are equal. `==` compares one by one, which took longer than reading them.
  package func isSame(as other: [UInt8]) -> Bool {
    withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
      }
    }
  }
}
