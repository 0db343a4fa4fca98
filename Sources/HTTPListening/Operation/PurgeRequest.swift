public import DiskCaching
import HTTPTypes
import ImageModel
public import NIOHTTP1
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// The body of `POST /purge`: an object of lists of strings, each of which may be left out.
public struct PurgeRequest: Sendable, Hashable {
  fileprivate static let path = "/purge"
  /// The metric of entries removed by request.
  public static let counter = "imgcache_purged_total"
  fileprivate static let maximumByteCount = 1 << 20
  private static let malformed = Problem(
    .badRequest, "bad_body", "The body is not an object of lists of strings.")

  private let lists: [String: [String]]
  /// Whether entries are to be stale rather than gone. Default: no.
  public private(set) var isSoft = false

  private enum Value: Decodable {
    case list([String])
    case flag(Bool)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else {
        self = .list(try container.decode([String].self))
      }
    }
  }

  /// Reads a body that may have lists of these names, and `soft`.
  ///
  /// - Throws: ``Problem`` 400 for anything else: a misspelled member would leave something in the
  /// cache.
  public init(
    body: [UInt8], lists names: [String], maySoften: Bool = false
  ) throws(Problem) {
    guard let members = try? JSONDecoder().decode([String: Value].self, from: Data(body)) else {
      throw Self.malformed
    }
    var lists: [String: [String]] = [:]
    for (name, value) in members {
      switch value {
      case .flag(let flag) where maySoften && name == "soft": isSoft = flag
      case .flag: throw Self.malformed
      case .list(let list):
        guard names.contains(name) else {
          throw Problem(
            .badRequest, "bad_body",
            "The body has members other than \(Self.text(names + (maySoften ? ["soft"] : []))).")
        }
        lists[name] = list
      }
    }
    self.lists = lists
  }

  /// The list of a name.
  public subscript(name: String) -> [String] { lists[name] ?? [] }

  private static func text(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  /// The tag that a text names.
  ///
  /// - Throws: ``Problem`` 400 for one that no tag can have.
  public static func tag(_ text: String) throws(Problem) -> CacheTag {
    guard let tag = CacheTag(text) else {
      throw Problem(.badRequest, "bad_tag", "A tag is visible ASCII without spaces and commas.")
    }
    return tag
  }

  /// The maximum bytes of a request's body.
  public static func maximumBody(of head: HTTPRequestHead) -> Int {
    head.method == .POST && head.uri == path ? maximumByteCount : 0
  }
}

extension RouteTable {
  /// Adds `POST /purge`, whose body has lists of these names, and `soft` if it may ask for stale
  /// entries.
  public mutating func purge(
    _ names: [String], maySoften: Bool = false,
    _ purge: @escaping @Sendable (PurgeRequest) async throws -> Answer
  ) {
    remove(PurgeRequest.path, by: [.post]) { request in
      let body = try await request.wholeBody(upTo: PurgeRequest.maximumByteCount)
      return try await purge(PurgeRequest(body: body, lists: names, maySoften: maySoften))
    }
  }
}

extension Problem {
  /// 503: what was purged here may still come from the cache of several servers.
  public static let tierNotPurged = Problem(
    .serviceUnavailable, ImageError.Code.sharedTierFailed.rawValue,
    "Purged on this server; the purge has not reached the shared tier yet.", retryAfter: 5)
}

extension Answer {
  /// `{"removed":N}`.
  public static func removed(_ count: Int) -> Answer {
    let body: JSONLine = ["removed": count]
    return .text("\(body)\n", type: "application/json")
  }
}
