/** Describes a refused certificate, that of a server or ours: whose it is, since when it is wrong, and what to do. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { certificatesIn, refusedIn, type TlsContext, type TlsError, tlsAdvice } from './tls.ts';

/**
 * Explains an error of a TLS connection, with the certificate that was refused, if one was; undefined: the error is about something else.
 * Connects to the server to get its certificate. Never rejects.
 * @param timeout in ms
 */
export async function explainedTls(
  error: TlsError,
  { host, port }: { readonly host: string; readonly port: number },
  tls: TlsContext,
  timeout: number,
): Promise<string | undefined> {
  const advice = tlsAdvice(error, tls.settings.setting);
  if (advice === undefined) return undefined;
  return refusedIn(error) === 'ours'
    ? ourCertificate(tls)
    : ((await refusedCertificate(host, port, tls, timeout)) ?? advice);
}

/** What to do about a server that refuses our certificate; names the certificate and its end. */
export function ourCertificate({ own, validity, settings }: TlsContext): string | undefined {
  const code = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
  if (own === undefined || validity === undefined) {
    return tlsAdvice({ code, message: '' }, settings.setting, 'none is set');
  }
  const now = Date.now();
  const [begins, ends] = [validity.begins.getTime(), validity.ends.getTime()];
  let valid = `valid until ${timeText(ends)}`;
  if (now > ends) valid = `ended ${timeText(ends)}; here it is ${timeText(now)}`;
  if (now < begins) valid = `begins ${timeText(begins)}; here it is ${timeText(now)}`;
  const [whose, signer] = [own.subject, own.issuer].map((name) =>
    name === '' ? 'nobody' : name.replaceAll('\n', ', '),
  );
  return tlsAdvice({ code, message: '' }, settings.setting, `ours is ${whose}, signed by ${signer}, ${valid}`);
}

/**
 * Describes the certificate of a server that we refuse. Connects once more, because the error of a refused connection does not contain
 * the certificate. Sends nothing after the handshake. undefined: the server did not respond, or nothing is wrong with its certificate.
 * Never rejects.
 * @param timeout in ms
 */
export function refusedCertificate(
  host: string,
  port: number,
  tls: TlsContext,
  timeout: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...tls.options(host), rejectUnauthorized: false });
    const end = (said: string | undefined): void => {
      socket.destroy();
      resolve(said);
    };
    socket.setTimeout(timeout, () => end(undefined));
    socket.once('secureConnect', () => {
      // The types do not say that this is a code.
      const code = String(socket.authorizationError ?? '');
      const own = tls.settings.serverName ?? host;
      try {
        end(explained(code, socket.getPeerCertificate(true), own, tls));
      } catch {
        // What a server shows may be malformed, for example its times.
        end(undefined);
      }
    });
    socket.on('error', () => end(undefined));
    socket.once('close', () => end(undefined));
  });
}

function explained(
  code: string,
  certificate: DetailedPeerCertificate,
  host: string,
  { settings }: TlsContext,
): string | undefined {
  const { setting, ca } = settings;
  // The server may have shown none.
  if (certificate.subject === undefined) return undefined;
  const whose = nameOf(certificate.subject);
  switch (code) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID': {
      const now = Date.now();
      const isWrong = ({ valid_from, valid_to }: DetailedPeerCertificate): boolean =>
        Date.parse(valid_to) < now || Date.parse(valid_from) > now;
      const wrong = chainOf(certificate).find(isWrong) ?? certificate;
      const since =
        code === 'CERT_HAS_EXPIRED' ? `ended ${timeText(wrong.valid_to)}` : `begins ${timeText(wrong.valid_from)}`;
      const that = wrong === certificate ? '' : `its authority ${nameOf(wrong.subject)} `;
      return tlsAdvice({ code, message: '' }, setting, `${whose}, ${that}${since}; here it is ${timeText(now)}`);
    }
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return tlsAdvice(
        { code, message: '' },
        setting,
        `${whose}, for ${certificate.subjectaltname ?? 'no name'}, and not ${host}`,
      );
    default: {
      const isOwn = whose === nameOf(certificate.issuer);
      const signer = isOwn ? 'itself' : nameOf(certificate.issuer);
      return tlsAdvice({ code, message: '' }, setting, `${whose}, signed by ${signer}; ${knownIn(ca)}`);
    }
  }
}

/** The certificates from the server's own to that of the last known authority. */
function chainOf(first: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  for (
    let at: DetailedPeerCertificate | undefined = first;
    at?.subject !== undefined && !chain.includes(at);
    at = at.issuerCertificate
  ) {
    chain.push(at);
  }
  return chain;
}

function knownIn(ca: string | undefined): string {
  if (ca === undefined) return 'known are the authorities of Node.js';
  try {
    const names = certificatesIn(readFileSync(ca, 'utf8')).map((pem) =>
      new X509Certificate(pem).subject.replaceAll('\n', ', '),
    );
    return `known ${names.length === 1 ? 'is' : 'are'} ${names.join(' and ')} of ${ca}`;
  } catch {
    return `known are those of ${ca}`;
  }
}

/** A name such as CN=redis, O=shop. */
function nameOf(subject: object | undefined): string {
  const parts = Object.entries(subject ?? {}).map(([name, value]) => `${name}=${[value].flat().join('+')}`);
  return parts.length === 0 ? 'without a subject' : parts.join(', ');
}

function timeText(time: string | number): string {
  return new Date(time).toISOString().replace(/\.\d+/, '');
}
