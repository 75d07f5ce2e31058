//! Converts between URIs and paths.

use std::path::PathBuf;
use std::str::FromStr;

use db::FilePath;
use percent_encoding::{
    AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, percent_encode, utf8_percent_encode,
};
use serde_json::Value;
pub use tower_lsp::lsp_types::Uri;

/// The scheme of files of the standard library, which are embedded in the binary. Clients request
/// their text with `rise/virtualDocument`.
const LIBRARY_SCHEME: &str = "rise-std:";

/// The scheme of documents that show a program after some steps of a strategy. They only exist in
/// the client, with a path in the folder of the program, so that its imports resolve.
const STEP_SCHEME: &str = "rise-step:";

/// The characters that are encoded in a single name: all except the unreserved ones (RFC 3986).
const ENCODED_IN_NAME: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const ENCODED_IN_PATH: AsciiSet = ENCODED_IN_NAME.remove(b'/');
/// The characters that are not allowed anywhere in a URI. Percent signs are kept, because they
/// belong to encoded characters.
const INVALID_IN_URI: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Returns the path of a URI. The schemes `file` and `rise-step` give paths on disk, and `rise-std`
/// gives a file of the library. Any other URI becomes a virtual path.
pub fn to_path(uri: &str) -> FilePath {
    if let Some(rest) = uri
        .strip_prefix("file:")
        .or_else(|| uri.strip_prefix(STEP_SCHEME))
    {
        return FilePath::disk(to_path_buf(local_part(rest)));
    }
    if let Some(rest) = uri.strip_prefix(LIBRARY_SCHEME) {
        let name = percent_decode_str(rest.trim_start_matches('/'));
        return FilePath::Std(name.decode_utf8_lossy().into());
    }
    FilePath::Virtual(uri.into())
}

/// Returns the path of the document to which the parameters of a request refer: the field `uri` of
/// `textDocument` or `item`.
pub fn document(params: &Value) -> Option<FilePath> {
    let holders = ["textDocument", "item"].iter();
    let uri = holders.filter_map(|holder| params[holder]["uri"].as_str());
    uri.map(to_path).next()
}

/// Returns the URI of a file, or `None` if it has no valid one.
pub fn from_path(path: &FilePath) -> Option<Uri> {
    let text = match path {
        FilePath::Disk(path) => {
            let bytes = path.as_os_str().as_encoded_bytes();
            let slash = if bytes.starts_with(b"/") { "" } else { "/" };
            format!("file://{slash}{}", percent_encode(bytes, &ENCODED_IN_PATH))
        }
        FilePath::Std(name) => {
            let name = utf8_percent_encode(name, &ENCODED_IN_NAME);
            format!("{LIBRARY_SCHEME}/{name}")
        }
        FilePath::Virtual(uri) => repaired(uri),
    };
    Uri::from_str(&text).ok()
}

/// Percent-encodes invalid characters in the fields of a message that contain URIs, because some
/// clients send spaces and non-ASCII letters unencoded.
pub fn repair(params: &mut Value) {
    match params {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if is_uri_field(name) => *text = repaired(text),
                    _ => repair(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(repair),
        _ => {}
    }
}

fn is_uri_field(name: &str) -> bool {
    matches!(
        name,
        "uri" | "rootUri" | "targetUri" | "oldUri" | "newUri" | "scopeUri"
    )
}

fn repaired(uri: &str) -> String {
    utf8_percent_encode(uri, &INVALID_IN_URI).to_string()
}

/// Removes the host of `//host/path`, and the query and fragment.
fn local_part(rest: &str) -> &str {
    let path = match rest.strip_prefix("//") {
        Some(authority) => authority.find('/').map_or("", |slash| &authority[slash..]),
        None => rest,
    };
    path.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(unix)]
fn to_path_buf(encoded: &str) -> PathBuf {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    PathBuf::from(OsString::from_vec(percent_decode_str(encoded).collect()))
}

#[cfg(not(unix))]
fn to_path_buf(encoded: &str) -> PathBuf {
    let text = percent_decode_str(encoded).decode_utf8_lossy().into_owned();
    let drive = text
        .strip_prefix('/')
        .filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    PathBuf::from(drive.unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_has_one_name_however_its_uri_is_written() {
        let path = FilePath::disk("/a b/\u{fc}.rise");
        assert_eq!(to_path("file:///a%20b/%C3%BC.rise"), path);
        assert_eq!(to_path("file:///a b/\u{fc}.rise"), path);
        assert_eq!(to_path("file://localhost/a%20b/./x/../%c3%bc.rise"), path);
        assert_eq!(to_path("file:/a%20b/%C3%BC.rise#top"), path);
        assert_eq!(
            from_path(&path).map(|uri| uri.to_string()),
            Some("file:///a%20b/%C3%BC.rise".into())
        );
    }

    #[test]
    fn odd_uris_name_files_too() {
        assert_eq!(
            to_path("untitled:Untitled-1"),
            FilePath::Virtual("untitled:Untitled-1".into())
        );
        assert_eq!(
            to_path("rise-std:/std.rise"),
            FilePath::Std("std.rise".into())
        );
        assert_eq!(to_path("file:///100%.rise"), FilePath::disk("/100%.rise"));
        assert_eq!(to_path(""), FilePath::Virtual("".into()));
        assert_eq!(to_path("file:"), FilePath::disk(""));
        assert_eq!(
            to_path("rise-step:/a/f%20(steps).rise"),
            FilePath::disk("/a/f (steps).rise")
        );
    }

    #[test]
    fn uris_of_a_message_are_made_valid_and_the_rest_stays() {
        let mut params = json!({
            "textDocument": {"uri": "file:///a b/\u{fc}%20.rise", "text": "a b \u{fc}"},
            "files": [{"oldUri": "file:///[x]"}],
        });
        repair(&mut params);
        let expected = json!({
            "textDocument": {"uri": "file:///a%20b/%C3%BC%20.rise", "text": "a b \u{fc}"},
            "files": [{"oldUri": "file:///%5Bx%5D"}],
        });
        assert_eq!(params, expected);
    }
}
