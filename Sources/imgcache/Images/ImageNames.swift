/// The names of thumbnails in one folder.
///
/// Inputs whose names differ get these names; of several with the same name each next one gets
/// `-2`, `-3`, … in the order of the inputs, whichever thumbnail is made first. An input that fails
/// takes no name. Names that differ only in case count as the same: on some file systems they are.
struct ImageNames {
  /// An input and its name; `nil` if it failed.
  struct Decision: Equatable {
    let index: Int
    let name: String?
  }

  /// Inputs with the same stem, of which the earlier ones are named first.
  private struct Group {
    var members: [Int] = []
    var doneCount = 0
    /// The extensions of members that wait for an earlier one; `nil` for one that failed.
    var waiting: [Int: String?] = [:]
    /// The last number used, by extension.
    var numbers: [String: Int] = [:]
  }

  private let stems: [String]
  private let keys: Set<String>
  /// The groups of more than one input, by their stem in one case.
  private var groups: [String: Group] = [:]

  init(stems: [String]) {
    self.stems = stems
    var first: [String: Int] = [:]
    for (index, stem) in stems.enumerated() {
      let key = stem.lowercased()
      if let other = first[key] {
        groups[key, default: Group(members: [other])].members.append(index)
      } else {
        first[key] = index
      }
    }
    keys = Set(first.keys)
  }

  /// Whether no other input has the stem of an input.
  func isAlone(_ index: Int) -> Bool { groups[stems[index].lowercased()] == nil }

  /// Takes note of what an input has become, and returns the names that are decided by that.
  mutating func settle(_ index: Int, extension: String?) -> [Decision] {
    let key = stems[index].lowercased()
    guard var group = groups.removeValue(forKey: key) else {
      return [Decision(index: index, name: `extension`.map { "\(stems[index]).\($0)" })]
    }
    group.waiting[index] = .some(`extension`)
    var decisions: [Decision] = []
    while group.doneCount < group.members.count {
      let member = group.members[group.doneCount]
      guard let result = group.waiting.removeValue(forKey: member) else { break }
      group.doneCount += 1
      decisions.append(
        Decision(index: member, name: result.map { name(of: member, key, $0, &group) }))
    }
    groups[key] = group
    return decisions
  }

  private func name(
    of index: Int, _ key: String, _ fileExtension: String, _ group: inout Group
  ) -> String {
    guard var number = group.numbers[fileExtension] else {
      group.numbers[fileExtension] = 1
      return "\(stems[index]).\(fileExtension)"
    }
    // A name that another input has of its own is left to it.
    repeat { number += 1 } while keys.contains("\(key)-\(number)")
    group.numbers[fileExtension] = number
    return "\(stems[index])-\(number).\(fileExtension)"
  }
}
