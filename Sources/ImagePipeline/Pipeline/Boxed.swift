/// A large value in memory of its own.
///
/// Every copy of a value that an asynchronous function may have across a wait is a part of its
/// frame; results with records and errors in place made frames of 4 to 16 kB a call.
@propertyWrapper
indirect enum Boxed<Value: Sendable>: Sendable {
  case value(Value)

  init(wrappedValue: Value) { self = .value(wrappedValue) }

  var wrappedValue: Value {
    get {
      switch self {
      case .value(let value): value
      }
    }
    set { self = .value(newValue) }
  }
}
