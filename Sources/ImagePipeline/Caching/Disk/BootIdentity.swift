#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which start of the machine this is. What was written without waiting for the disk is only trusted unread within
/// the same one: a power loss may have taken the bytes and left the record.
enum BootIdentity {
  /// A number that differs from start to start; 0 where the system does not say.
  static let current: Int64 = {
    guard
      let bytes = try? Data(contentsOf: URL(fileURLWithPath: "/proc/sys/kernel/random/boot_id"))
    else { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int64(bitPattern: hash)
  }()
}
