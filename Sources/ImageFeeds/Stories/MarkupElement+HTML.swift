import TextEncodings

extension MarkupElement {
  var html: String {
    if let text = elements.first, text.name == MarkupRepair.htmlName { return text.text }
    return elements.isEmpty ? text : innerHTML
  }

  var plainText: String {
    elements.isEmpty ? text : Markup.plainText(ofHTML: html) ?? ""
  }

  /// The content written as HTML: names without prefix, text and values escaped.
  var innerHTML: String {
    children.map { child in
      switch child {
      case .text(let text): HTMLText.escaped(text)
      case .element(let element):
        "<\(element.name)\(element.writtenAttributes)>\(element.innerHTML)\(element.endTag)"
      }
    }.joined()
  }

  private var endTag: String {
    let isVoid =
      name == "img" || HTMLAllowance.voids.contains(name)
      || HTMLAllowance.removedVoids.contains(name)
    return isVoid ? "" : "</\(name)>"
  }

  private var writtenAttributes: String {
    attributes.sorted { $0.key < $1.key }
      .map { " \($0.key)=\"\(HTMLText.escaped($0.value))\"" }.joined()
  }
}
