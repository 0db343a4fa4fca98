import ImageModel
import TextEncodings

struct MarkupElement: Sendable, Hashable {
  enum Child: Sendable, Hashable {
    case element(MarkupElement)
    case text(String)
  }

  var name: String
  var prefix: String?
  var namespace: String?
  /// Attributes by their names with prefix, entities decoded.
  var attributes: [String: String] = [:]
  var children: [Child] = []

  var elements: [MarkupElement] {
    children.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  func elements(named name: String) -> [MarkupElement] {
    var found: [MarkupElement] = []
    for case .element(let element) in children where element.name == name { found.append(element) }
    return found
  }

  /// The first of ``elements(named:)`` without prefix, else the first with any.
  func first(_ name: String) -> MarkupElement? {
    let named = elements(named: name)
    return named.first { $0.prefix == nil } ?? named.first
  }

  var text: String {
    children.reduce(into: "") { text, child in
      if case .text(let piece) = child { text += piece }
    }.trimmingWhiteSpace()
  }

  /// The URL that relative ones inside refer to, if it is declared here or outside.
  func declaredBase(within outer: String?, at url: String) -> String? {
    attributes["xml:base"].flatMap { WebURL.resolve($0, against: outer ?? url) } ?? outer
  }

  func base(within outer: String) -> String { declaredBase(within: outer, at: outer) ?? outer }
}
