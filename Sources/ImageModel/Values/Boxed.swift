/// A large value in separately allocated memory.
///
/// Every copy of a value that an asynchronous function may hold across a suspension is part of its
/// frame; results with records and errors stored inline made frames of 4 to 16 kB a call.
@usableFromInline
@propertyWrapper
package indirect enum Boxed<Value: Sendable>: Sendable {
  case value(Value)

  @inlinable package init(wrappedValue: Value) { self = .value(wrappedValue) }

  @inlinable package var wrappedValue: Value {
    get {
      switch self {
      case .value(let value): value
      }
    }
    set { self = .value(newValue) }
  }
}

/// The same for a value that is mostly absent; then it takes no memory.
@usableFromInline
@propertyWrapper
package struct BoxedIfAny<Value: Sendable>: Sendable {
  @usableFromInline var box: Boxed<Value>?

  @inlinable package init(wrappedValue: Value?) {
    box = wrappedValue.map { Boxed(wrappedValue: $0) }
  }

  @inlinable package var wrappedValue: Value? {
    get { box?.wrappedValue }
    set { box = newValue.map { Boxed(wrappedValue: $0) } }
  }
}
