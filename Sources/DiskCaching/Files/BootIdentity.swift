import ImageModel

extension Date {
  /// Since 1970, rounded; the largest number that fits for dates beyond.
  var microseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1e6).rounded())
      ?? (self < Date(microseconds: 0) ? .min : .max)
  }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }
}

/// Identifies the current boot of the machine. Bytes written without waiting for the disk are
/// trusted unread only within the same boot: a power loss may lose them and keep the record.
enum BootIdentity {
  /// A number that differs from boot to boot; 0 if the system does not provide one.
  static let current: Int64 = {
    let file = BodyFile(path: "/proc/sys/kernel/random/boot_id")
    guard let bytes = try? file?.read(at: 0, count: 64) else { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int64(bitPattern: hash)
  }()
}
