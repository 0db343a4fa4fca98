import ImageModel

/// The users and passwords in URLs of the command line, which are taken out of it before it is
/// parsed.
enum NamedCredentials { static let all = OriginCredentials() }
