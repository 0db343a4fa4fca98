import ArgumentParser
import ImagePipeline

/// The exit codes of every sub-command.
enum ExitStatus {
  /// All that was asked for was done.
  static let done = ExitCode(0)
  /// Some image, day or check could not be had.
  static let incomplete = ExitCode(1)
  /// The environment failed: cache unusable, disk full, port taken.
  static let environment = ExitCode(2)
  /// Misuse of the command line.
  static let misuse = ExitCode(64)

  /// The code for a failure that ends the command.
  static func forError(_ error: ImageError) -> ExitCode {
    switch error.code {
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .cannotListen: environment
    case .invalidArgument: misuse
    default: incomplete
    }
  }
}
