import TextEncodings

/// An element of an XML or HTML text with what is inside it.
struct MarkupElement: Sendable, Hashable {
  enum Child: Sendable, Hashable {
    case element(MarkupElement)
    case text(String)
  }

  /// The name without prefix; lower case in HTML.
  var name: String
  /// The prefix as spelled, if any.
  var prefix: String?
  /// The URI of the namespace, if any.
  var namespace: String?
  /// Attributes by their names with prefix, entities decoded.
  var attributes: [String: String] = [:]
  var children: [Child] = []

  var elements: [MarkupElement] {
    children.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  /// The elements directly inside with a name, in any namespace.
  func elements(named name: String) -> [MarkupElement] { elements.filter { $0.name == name } }

  /// The first of ``elements(named:)`` without prefix, else the first with any.
  func first(_ name: String) -> MarkupElement? {
    let found = elements(named: name)
    return found.first { $0.prefix == nil } ?? found.first
  }

  /// The text directly inside, without white space at the ends.
  var text: String {
    var text = ""
    for case .text(let piece) in children { text += piece }
    return text.trimmingWhiteSpace()
  }

  /// Visits all elements inside, at any depth, in order of appearance.
  func walk(entering: (MarkupElement) -> Void, leaving: () -> Void) {
    for case .element(let element) in children {
      entering(element)
      element.walk(entering: entering, leaving: leaving)
      leaving()
    }
  }
}
