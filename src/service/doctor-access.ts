import type { Settings } from '../config/settings.ts';
import { AccessFileError, Secret } from '../connections/secret.ts';
import type { SecretSource, TlsSettings } from '../connections/settings.ts';
import { TlsContext } from '../connections/tls-context.ts';
import type { EpochMs } from '../events.ts';
import { type Finding, finding } from './doctor-finding.ts';

const DAY_MS = 86_400_000;
const NOTICE_DAYS = 14;

/** Files with secrets and certificates, and what is not safe about the connections. */
export function judgeAccess({ http, kafka, redis }: Settings, now: EpochMs): readonly Finding[] {
  const tls = [kafka.tls, redis.tls, redis.sentinel.tls === redis.tls ? undefined : redis.sentinel.tls];
  const findings = tls.filter((one) => one !== undefined).flatMap((one) => judgeTls(one, now));
  const { sasl } = kafka;
  const secrets: (SecretSource | undefined)[] = [http.token, redis.password, redis.sentinel.password];
  if (sasl !== undefined) {
    secrets.push('password' in sasl ? sasl.password : undefined, 'token' in sasl ? sasl.token : undefined);
    secrets.push('clientSecret' in sasl ? sasl.clientSecret : undefined);
    if (kafka.tls === undefined && !sasl.mechanism.startsWith('scram')) {
      const what = sasl.mechanism === 'plain' ? 'the password' : 'the token';
      findings.push(
        finding('security', 'warning', `${what} of kafka.sasl goes over the network in plain text: set kafka.tls`),
      );
    }
  }
  for (const secret of secrets) {
    if (secret !== undefined) findings.push(...judgeFile(() => isReadable(secret)));
  }
  return findings;
}

function judgeTls(tls: TlsSettings, now: EpochMs): readonly Finding[] {
  const { setting } = tls;
  const findings = judgeFile(() => {
    const { ends } = new TlsContext(tls);
    return ends === undefined ? [] : [judgeEnd(`${setting}.cert`, ends, now)];
  });
  if (tls.rejectUnauthorized) return findings;
  const risk = `${setting}.rejectUnauthorized is false: anybody on the way may read and change all, passwords too`;
  return [...findings, finding('security', 'warning', `${risk}. Name the authority in ${setting}.ca instead`)];
}

function judgeEnd(setting: string, ends: Date, now: EpochMs): Finding {
  const days = Math.floor((ends.getTime() - now) / DAY_MS);
  const day = ends.toISOString().slice(0, 10);
  if (days < 0) return finding('security', 'error', `${setting}: the certificate ended on ${day}: renew it`);
  const found = `${setting}: the certificate ends on ${day}, in ${days} days`;
  return days < NOTICE_DAYS ? finding('security', 'warning', `${found}: renew it`) : finding('security', 'ok', found);
}

function isReadable(secret: SecretSource): readonly Finding[] {
  new Secret(secret).read();
  return [];
}

/** What a file that cannot be used says. */
function judgeFile(use: () => readonly Finding[]): readonly Finding[] {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof AccessFileError)) throw error;
    return [finding('security', 'error', error.message)];
  }
}
