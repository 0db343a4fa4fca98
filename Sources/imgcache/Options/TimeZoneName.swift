import ArgumentParser
import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A time zone of tzdata, such as `Europe/Berlin`, which the C library reads.
struct TimeZoneName: Hashable, Sendable, CustomStringConvertible {
  let description: String

  /// - Throws: `ImageError` for misuse where the machine does not have the zone.
  @Sendable static func parse(_ name: String) throws(ImageError) -> TimeZoneName {
    guard name == "UTC" || isKnown(name) else {
      throw .misuse(
        "\"\(name)\" is not a time zone of this machine; write one of tzdata, such as UTC, "
          + "Europe/Berlin or Asia/Shanghai")
    }
    return TimeZoneName(description: name)
  }

  private static func isKnown(_ name: String) -> Bool {
    guard !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
      return false
    }
    let folder = Environment.variables["TZDIR"] ?? "/usr/share/zoneinfo"
    guard let file = fopen("\(folder)/\(name)", "r") else { return false }
    defer { fclose(file) }
    var start = [UInt8](repeating: 0, count: 4)
    return fread(&start, 1, 4, file) == 4 && start == Array("TZif".utf8)
  }

  /// Makes it the zone of this process.
  func use() {
    setenv("TZ", description, 1)
    tzset()
  }
}
