import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, createSecureContext, type SecureContext } from 'node:tls';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';
import { AccessFileError, readAccessFile, Secret } from './secret.ts';
import type { TlsSettings } from './security-settings.ts';

/** The time in which a certificate is valid: [begins, ends). */
export interface Validity {
  readonly begins: Date;
  readonly ends: Date;
}

/**
 * Certificates and key of one client. The files are read again for each connection; while they cannot be used, as in the middle of a
 * renewal, their last good content is used.
 */
export class TlsContext {
  readonly settings: TlsSettings;
  readonly #passphrase: Secret | undefined;
  #inUse: Credentials;
  #problem: string | undefined;

  /** @throws AccessFileError that names the setting */
  constructor(settings: TlsSettings) {
    this.settings = settings;
    this.#passphrase = settings.passphrase === undefined ? undefined : new Secret(settings.passphrase);
    this.#inUse = this.#credentials(this.#read());
  }

  /**
   * Options for tls.connect.
   * @param host if it is a name, it is also sent to the server
   */
  options(host?: string): Pick<ConnectionOptions, 'secureContext' | 'servername' | 'rejectUnauthorized'> {
    const { serverName, rejectUnauthorized } = this.settings;
    const name = serverName ?? (host === undefined || isIP(host) !== 0 ? undefined : host);
    return {
      secureContext: this.context,
      rejectUnauthorized,
      ...(name === undefined ? {} : { servername: name }),
    };
  }

  get context(): SecureContext {
    try {
      const files = this.#read();
      if (JSON.stringify(files) !== this.#inUse.text) this.#inUse = this.#credentials(files);
      this.#problem = this.#passphrase?.problem;
    } catch (error) {
      this.#problem = messageOf(error);
    }
    return this.#inUse.context;
  }

  /** Why the present files are not used; undefined: they are. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Validity of our own certificate in use; undefined: we have none. */
  get validity(): Validity | undefined {
    return this.#inUse.own && validityOf(this.#inUse.own);
  }

  /** Our own certificate in use; undefined: we have none. */
  get own(): X509Certificate | undefined {
    return this.#inUse.own;
  }

  /** Validity of the certificate in `ca` that ends last: afterwards no server is trusted. undefined: no `ca` is set. */
  get caValidity(): Validity | undefined {
    return this.#inUse.caValidity;
  }

  #read(): Files {
    const { setting, ca, cert, key } = this.settings;
    const read = (name: string, path: string | undefined): string | undefined =>
      path === undefined ? undefined : readAccessFile(`${setting}.${name}`, path);
    return {
      ca: read('ca', ca),
      cert: read('cert', cert),
      key: read('key', key),
      passphrase: this.#passphrase?.read(),
    };
  }

  #credentials(files: Files): Credentials {
    const context = this.#build(files);
    return { text: JSON.stringify(files), context, own: ownOf(files), caValidity: caValidityOf(files) };
  }

  #build(files: Files): SecureContext {
    const { ca, cert, key, passphrase } = files;
    const { setting, ca: caFile, cert: certFile, key: keyFile } = this.settings;
    mustBeCertificate(`${setting}.ca`, caFile, ca);
    mustBeCertificate(`${setting}.cert`, certFile, cert);
    try {
      return createSecureContext({ ca, cert, key, passphrase });
    } catch (error) {
      throw new AccessFileError(
        `${setting}.key: ${keyFile} cannot be used with ${certFile}: ${keyProblem(error, files)}`,
      );
    }
  }
}

interface Files {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: string | undefined;
}

/** The files and what is made from them. */
interface Credentials {
  /** The files as one text, by which changes are detected. */
  readonly text: string;
  readonly context: SecureContext;
  readonly own: X509Certificate | undefined;
  readonly caValidity: Validity | undefined;
}

function ownOf({ cert }: Files): X509Certificate | undefined {
  return cert === undefined ? undefined : new X509Certificate(cert);
}

function validityOf({ validFrom, validTo }: X509Certificate): Validity {
  return { begins: new Date(validFrom), ends: new Date(validTo) };
}

function validityIn(pem: string): Validity {
  return validityOf(new X509Certificate(pem));
}

function caValidityOf({ ca }: Files): Validity | undefined {
  if (ca === undefined) return undefined;
  return certificatesIn(ca)
    .map(validityIn)
    .reduce((last, one) => (one.ends > last.ends ? one : last), validityIn(ca));
}

/** The certificates of a file in PEM form, one after the other. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Checks that the text contains a certificate, since Node.js silently accepts one without. */
function mustBeCertificate(setting: string, file: string | undefined, text: string | undefined): void {
  if (text === undefined) return;
  try {
    new X509Certificate(text);
  } catch {
    throw new AccessFileError(`${setting}: ${file} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)`);
  }
}

/**
 * Explains an error of a key. Whether the key is encrypted is read from its header: with a wrong passphrase, OpenSSL parses the garbage
 * it decrypted to, so its error varies.
 */
function keyProblem(error: unknown, { key, passphrase }: Files): string {
  const text = `${codeOf(error)} ${messageOf(error)}`;
  if (/KEY_VALUES_MISMATCH|values mismatch/i.test(text)) return 'the key is that of another certificate';
  if (key !== undefined && /^-----BEGIN ENCRYPTED |^Proc-Type: *4, *ENCRYPTED/m.test(key)) {
    return passphrase === undefined
      ? 'the key is encrypted: set passphraseFile beside it'
      : 'the passphrase is wrong, or this OpenSSL does not know the cipher';
  }
  return 'it is not a private key in PEM form (-----BEGIN PRIVATE KEY-----)';
}

/**
 * Whether the server responds to a TLS handshake, with any certificate. Never rejects.
 * @param timeout in ms
 */
export function speaksTls(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Nothing is sent over it, so its certificate does not matter here.
    const socket = connect({ host, port, rejectUnauthorized: false });
    const end = (speaks: boolean) => (): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(timeout, end(false));
    socket.once('secureConnect', end(true));
    // An alert is a response too: the server may require a client certificate.
    socket.on('error', (error) => end(/alert/.test(error.message))());
    socket.once('close', end(false));
  });
}

/** A fault in a TLS handshake, and what to do. */
interface TlsFault {
  readonly codes: RegExp;
  /** Recognises errors that have lost their code. */
  readonly text: RegExp;
  readonly what: string;
  /** Whose certificate the peer refuses. */
  readonly refused?: 'theirs' | 'ours';
  readonly todo: (setting: string) => string;
}

const FAULTS: readonly TlsFault[] = [
  {
    codes: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED)/,
    text: /self[- ]signed certificate|unable to (?:verify|get)/,
    what: 'the certificate of the server is signed by nobody who is known here',
    refused: 'theirs',
    todo: (setting) => `name the file with the certificate of its authority in ${setting}.ca`,
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    text: /certificate has expired/,
    what: 'the certificate of the server has expired',
    refused: 'theirs',
    todo: (setting) => `renew it at the server, ${setting} here need not change; and check the clock here`,
  },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    text: /certificate is not yet valid/,
    what: 'the certificate of the server is not valid yet',
    refused: 'theirs',
    todo: () => 'check the clocks of both, or give the server one that is valid now',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    text: /altnames/,
    what: 'the certificate of the server is for another name',
    refused: 'theirs',
    todo: (setting) => `connect by a name that it contains, or set ${setting}.serverName to one`,
  },
  {
    codes: /^CERT_REVOKED$/,
    text: /certificate revoked$/,
    what: 'the certificate of the server was revoked',
    refused: 'theirs',
    todo: () => 'renew it there',
  },
  {
    codes: /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    text: /wrong version number|packet length too long/,
    what: 'that port does not speak TLS',
    todo: (setting) => `leave ${setting} out, or name the port that does`,
  },
  {
    codes:
      /^ERR_SSL_.*ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)$/,
    text: /alert (?:certificate|bad certificate|unknown ca|unsupported certificate|access denied)/,
    what: 'the server requires a client certificate that it trusts and that has not expired',
    refused: 'ours',
    todo: (setting) => `name such a one in ${setting}.cert and ${setting}.key`,
  },
  {
    codes: /^ERR_SSL_.*(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|ALERT_HANDSHAKE_FAILURE|NO_SHARED_CIPHER)$/,
    text: /alert (?:protocol version|handshake failure)|unsupported protocol/,
    what: 'both speak TLS, but no version or cipher in common',
    todo: () => 'allow TLS 1.2 or 1.3 on the server',
  },
];

/** The text of an error on one line, without the source locations that OpenSSL puts around it. */
export function plainText(message: string): string {
  return message
    .replace(/[0-9A-F]{8,}:error:[0-9A-F]*:[^:]*:[^:]*:([^:]*):\S+?:\d+:(?:SSL alert number \d+)?/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/[: ]+$/, '')
    .trim();
}

export interface TlsError {
  readonly code?: unknown;
  readonly message: string;
}

function faultOf(error: TlsError): TlsFault | undefined {
  const code = typeof error.code === 'string' ? error.code : '';
  return FAULTS.find(({ codes }) => codes.test(code)) ?? FAULTS.find(({ text }) => text.test(error.message));
}

/** Whose certificate the peer refused when the connection ended; undefined: it ended for another reason. */
export function refusedIn(error: TlsError): 'theirs' | 'ours' | undefined {
  return faultOf(error)?.refused;
}

/**
 * Advice for an error of a TLS connection; undefined: it is about something else.
 * @param setting such as kafka.tls
 * @param facts about the certificate, if they are known
 */
export function tlsAdvice(error: TlsError, setting: string, facts = ''): string | undefined {
  const fault = faultOf(error);
  return fault && `${fault.what}${facts === '' ? '' : ` (${facts})`}: ${fault.todo(setting)}`;
}
