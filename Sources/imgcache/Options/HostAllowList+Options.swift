import HTTPListening
import ImageModel

extension HostAllowList {
  /// Reads the values of an option, which errors name.
  init(_ hosts: [String], of option: String) throws(ImageError) {
    do {
      try self.init(hosts)
    } catch {
      throw ImageError(error.code, "\(option): \(error.message)")
    }
  }
}
