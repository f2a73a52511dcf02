/** What went wrong between two that speak TLS, and what to do. */
interface TlsFault {
  readonly codes: RegExp;
  /** For errors that have lost their code. */
  readonly text: RegExp;
  readonly advice: (setting: string) => string;
}

const FAULTS: readonly TlsFault[] = [
  {
    codes: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED)/,
    text: /self[- ]signed certificate|unable to (?:verify|get)/,
    advice: (setting) =>
      `the certificate of the server is signed by nobody who is known here: name the file with the certificate of its authority in ${setting}.ca`,
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    text: /certificate has expired/,
    advice: () => 'the certificate of the server has expired: renew it there, and check the clock here',
  },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    text: /certificate is not yet valid/,
    advice: () => 'the certificate of the server is not valid yet: check the clocks of both',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    text: /altnames/,
    advice: (setting) =>
      `the certificate of the server is for another name: connect by a name that stands in it, or set ${setting}.serverName to one`,
  },
  {
    codes: /^CERT_REVOKED$/,
    text: /certificate revoked$/,
    advice: () => 'the certificate of the server was revoked: renew it there',
  },
  {
    codes: /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    text: /wrong version number|packet length too long/,
    advice: (setting) => `that port does not speak TLS: leave ${setting} out, or name the port that does`,
  },
  {
    codes:
      /^ERR_SSL_.*ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)$/,
    text: /alert (?:certificate|bad certificate|unknown ca|unsupported certificate|access denied)/,
    advice: (setting) =>
      `the server wants a certificate of ours that it trusts and that has not expired: see ${setting}.cert and ${setting}.key`,
  },
  {
    codes: /^ERR_SSL_.*(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|ALERT_HANDSHAKE_FAILURE|NO_SHARED_CIPHER)$/,
    text: /alert (?:protocol version|handshake failure)|unsupported protocol/,
    advice: () => 'both speak TLS, but no version or cipher in common: allow TLS 1.2 or 1.3 on the server',
  },
];

/** The text of an error on one line, without the places in the source of the library that OpenSSL puts around it. */
export function plainText(message: string): string {
  return message
    .replace(/[0-9A-F]{8,}:error:[0-9A-F]*:[^:]*:[^:]*:([^:]*):\S+?:\d+:(?:SSL alert number \d+)?/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The advice for an error of a connection with TLS; undefined: it is about something else. `setting`: such as kafka.tls. */
export function tlsAdvice(
  error: { readonly code?: unknown; readonly message: string },
  setting: string,
): string | undefined {
  const code = typeof error.code === 'string' ? error.code : '';
  const fault = FAULTS.find(({ codes }) => codes.test(code)) ?? FAULTS.find(({ text }) => text.test(error.message));
  return fault?.advice(setting);
}
