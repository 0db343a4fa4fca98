import Testing

@testable import ImageFetching
@testable import ImageModel

@Suite struct `An S3 bucket` {
  static let keys = "[default]\naws_access_key_id = AKID\naws_secret_access_key = s3cret/+=\n"

  /// Reads the text of an option, with one file of credentials.
  static func bucket(
    _ text: String, _ variables: [String: String] = [:], file: String = keys
  ) throws(ImageError) -> S3Bucket {
    let isolated = ["AWS_EC2_METADATA_DISABLED": "true"].merging(variables) { $1 }
    return try S3Bucket(text, environment: isolated) { path throws(ImageError) in
      guard path == "keys" else { throw ImageError(.fileUnreadable, "cannot read \(path)") }
      return Array(file.utf8)
    }
  }

  private func url(_ text: String, _ path: String = "/a.jpg") throws -> String {
    try Self.bucket(text).url(of: path).text
  }

  @Test(arguments: [
    ("photos=", "https://photos.s3.us-east-1.amazonaws.com/a.jpg"),
    ("photos=region=eu-west-1,", "https://photos.s3.eu-west-1.amazonaws.com/a.jpg"),
    ("photos=region=cn-north-1,", "https://photos.s3.cn-north-1.amazonaws.com.cn/a.jpg"),
    ("photos=endpoint=http://127.0.0.1:9000,", "http://127.0.0.1:9000/photos/a.jpg"),
    ("photos=endpoint=https://s3.example.org/,style=host,", "https://photos.s3.example.org/a.jpg"),
    // AWS has no certificate for such a name.
    ("my.photos=", "https://s3.us-east-1.amazonaws.com/my.photos/a.jpg"),
    (
      "my.photos=style=host,endpoint=https://s3.example.org,",
      "https://my.photos.s3.example.org/a.jpg"
    ),
  ])
  func `is in the host name at AWS, unless it has an endpoint`(text: String, url: String) throws {
    #expect(try self.url("\(text)credentials=keys") == url)
  }

  @Test(arguments: [
    ("", "Malformed"), ("=endpoint=http://h", "Malformed"), ("a b=region=x", "Malformed"),
    ("photos=", "unknown key \"\""), ("photos=http://h", "unknown key \"http://h\""),
    ("photos=endpoint=http://h,endpoint=http://i,credentials=keys", "repeated key \"endpoint\""),
    ("photos=endpoint=,credentials=keys", "\"endpoint\" has no value"),
    ("photos=zone=1", "unknown key \"zone\"; there are endpoint, region, credentials, style"),
    ("photos=style=virtual,credentials=keys", "unknown style \"virtual\"; there are path and host"),
    ("photos=endpoint=ftp://h,credentials=keys", "is not an endpoint"),
    ("photos=endpoint=h:9000,credentials=keys", "is not an endpoint"),
    ("photos=endpoint=http://h/prefix,credentials=keys", "without a path"),
    ("photos=endpoint=http://h/?x,credentials=keys", "without a path"),
    ("photos=endpoint=http://h/#x,credentials=keys", "without a path"),
    ("photos=endpoint=http://u:s3cret@h,credentials=keys", "user information"),
    ("photos=region=us east,credentials=keys", "is not a region"),
    ("photos=region=a:b,credentials=keys", "is not a region"),
    ("My_Photos=style=host,credentials=keys", "cannot be in a host name"),
    ("photos=style=host,endpoint=http://127.0.0.1:9000,credentials=keys", "use style=path"),
    ("photos=style=host,endpoint=http://[::1]:9000,credentials=keys", "use style=path"),
    ("photos=credentials=absent", "cannot read absent"),
    ("photos", "AWS_ACCESS_KEY_ID"),
  ])
  func `is refused with the reason`(text: String, reason: String) {
    let error = #expect(throws: ImageError.self) { try Self.bucket(text) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("s3cret") == false)
  }

  @Test func `reads its credentials from the environment where no file is given`() throws {
    var variables = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s3cret"]
    let lasting = try Self.bucket("photos", variables).credentials
    variables["AWS_SESSION_TOKEN"] = "t0ken"
    let temporary = try Self.bucket("photos", variables).credentials
    let shared = try Self.bucket("photos", ["AWS_SHARED_CREDENTIALS_FILE": "keys"]).credentials

    #expect(lasting == (try S3Credentials(accessKey: "AKID", secretKey: "s3cret")))
    #expect(temporary?.sessionToken == "t0ken")
    #expect(shared?.secretKey == "s3cret/+=")
    for missing in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
      var part = variables
      part[missing] = ""
      let error = #expect(throws: ImageError.self) { try Self.bucket("photos", part) }
      #expect(error?.message.contains("\(missing) is not") == true)
      #expect(error?.message.contains("s3cret") == false)
    }
  }

  @Test func `reads the profile of a credentials file`() throws {
    let file = """
      # of the AWS command line
      [default]
      aws_access_key_id=AKID
      AWS_SECRET_ACCESS_KEY = one=two
      ; another
      [ build ]\r
      aws_access_key_id = BUILD\r
      aws_secret_access_key = b\r
      aws_session_token = t\r
      region = eu-west-1\r
      [half]
      aws_access_key_id = HALF
      """
    func credentials(_ profile: String?) throws -> S3Credentials? {
      try Self.bucket(
        "photos=credentials=keys", profile.map { ["AWS_PROFILE": $0] } ?? [:], file: file
      ).credentials
    }

    #expect(try credentials(nil)?.secretKey == "one=two")
    #expect(try credentials("")?.accessKey == "AKID")
    #expect(try credentials("build")?.accessKey == "BUILD")
    #expect(try credentials("build")?.sessionToken == "t")
    for (profile, reason) in [("half", "aws_secret_access_key"), ("none", "no profile [none]")] {
      let error = #expect(throws: ImageError.self) { try credentials(profile) }
      #expect(error?.message.contains(reason) == true)
    }
  }

  @Test(arguments: [
    "[default]\naws_access_key_id = A\naws_secret_access_key = s3cret with space\n",
    "[default]\naws_access_key_id =\naws_secret_access_key = s3cret\n",
    "[default]\naws_access_key_id = \u{e9}\naws_secret_access_key = s3cret\n",
    "aws_access_key_id = A\naws_secret_access_key = s3cret\n", "",
  ])
  func `quotes no line of an unusable file in a message`(file: String) {
    let error = #expect(throws: ImageError.self) {
      try Self.bucket("photos=credentials=keys", file: file)
    }

    #expect(error?.message.contains("keys") == true)
    #expect(error?.message.contains("s3cret") == false)
  }

  @Test func `does not show its credentials`() throws {
    let bucket = try Self.bucket("photos=credentials=keys")
    var dumped = ""
    dump(bucket, to: &dumped)
    var configuration = HTTPFetcher.Configuration()
    configuration.s3Buckets = [bucket]
    let texts =
      ["\(bucket)", String(reflecting: bucket), dumped, "\(configuration)"]
      + ["\(bucket.signer)", String(reflecting: bucket.signer)]

    for text in texts { #expect(!text.contains("s3cret") && !text.contains("AKID"), "\(text)") }
    #expect(bucket.description == "photos at https://s3.us-east-1.amazonaws.com (us-east-1, host)")
  }
}

extension S3Bucket {
  /// Its credentials where they last.
  fileprivate var credentials: S3Credentials? {
    if case .keys(let credentials) = signer { credentials } else { nil }
  }
}
