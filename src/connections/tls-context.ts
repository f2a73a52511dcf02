import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, createSecureContext, type SecureContext } from 'node:tls';
import { AccessFileError, readAccessFile, Secret } from './secret.ts';
import type { TlsSettings } from './security-settings.ts';

/** When a certificate holds: [begins, ends). */
export interface Validity {
  readonly begins: Date;
  readonly ends: Date;
}

/**
 * Certificates and key of one client. The files are read again for each connection; while what they hold cannot be used, as
 * in the middle of a renewal, the last that could be continues.
 */
export class TlsContext {
  readonly settings: TlsSettings;
  readonly #passphrase: Secret | undefined;
  #files = '';
  #context: SecureContext;
  #validity: Validity | undefined;
  #problem: string | undefined;

  /** @throws AccessFileError that names the setting */
  constructor(settings: TlsSettings) {
    this.settings = settings;
    this.#passphrase = settings.passphrase === undefined ? undefined : new Secret(settings.passphrase);
    const files = this.#read();
    this.#context = this.#build(files);
    this.#validity = validityOf(files);
    this.#files = JSON.stringify(files);
  }

  /** For tls.connect. `host`: a name, if it is known, is told to the server too. */
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
      const text = JSON.stringify(files);
      if (text !== this.#files) {
        this.#context = this.#build(files);
        this.#validity = validityOf(files);
        this.#files = text;
      }
      this.#problem = this.#passphrase?.problem;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
    }
    return this.#context;
  }

  /** Why the files of now are not used; undefined: they are. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Of our own certificate that is in use; undefined: we have none. */
  get validity(): Validity | undefined {
    return this.#validity;
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

function validityOf({ cert }: Files): Validity | undefined {
  if (cert === undefined) return undefined;
  const { validFrom, validTo } = new X509Certificate(cert);
  return { begins: new Date(validFrom), ends: new Date(validTo) };
}

/** Node.js takes a text without any certificate in silence. */
function mustBeCertificate(setting: string, file: string | undefined, text: string | undefined): void {
  if (text === undefined) return;
  try {
    new X509Certificate(text);
  } catch {
    throw new AccessFileError(`${setting}: ${file} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)`);
  }
}

/**
 * Whether the key is encrypted is read from its header: OpenSSL's own error for a wrong passphrase is that of the noise which
 * the passphrase made of the key, and so not always the same.
 */
function keyProblem(error: unknown, { key, passphrase }: Files): string {
  const text = error instanceof Error ? `${'code' in error ? String(error.code) : ''} ${error.message}` : '';
  if (/KEY_VALUES_MISMATCH|values mismatch/i.test(text)) return 'the key is that of another certificate';
  if (key !== undefined && /^-----BEGIN ENCRYPTED |^Proc-Type: *4, *ENCRYPTED/m.test(key)) {
    return passphrase === undefined
      ? 'the key is encrypted: set passphraseFile beside it'
      : 'the passphrase is wrong, or this OpenSSL does not know the cipher';
  }
  return 'it is not a private key in PEM form (-----BEGIN PRIVATE KEY-----)';
}

/** Whether what listens there answers a TLS handshake, whatever its certificate. Never rejects. `timeout` in ms. */
export function speaksTls(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Nothing is sent over it: which certificate it shows does not matter here.
    const socket = connect({ host, port, rejectUnauthorized: false });
    const end = (speaks: boolean) => (): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(timeout, end(false));
    socket.once('secureConnect', end(true));
    // An alert is an answer too: it may want a certificate of ours.
    socket.on('error', (error) => end(/alert/.test(error.message))());
    socket.once('close', end(false));
  });
}
