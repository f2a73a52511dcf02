import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { TlsContext } from '../../src/connections/tls.ts';
import { checkAccess } from '../../src/service/doctor-access.ts';
import { load } from '../config/fixture.ts';
import { Authority, OPENSSL } from '../services/certificates.ts';
import { itWith } from '../services/it-with.ts';
import { tlsOf } from '../services/secure-kafka.ts';

const found = (yaml: string): readonly string[] =>
  checkAccess(load(yaml), Date.now()).map(({ level, message }) => `${level} ${message}`);

const PLAIN = 'goes over the network in plain text: set';

it.each<readonly [string, readonly string[]]>([
  ['redis: {url: "redis://redis.internal", username: u, password: p}', [`the password of redis ${PLAIN} redis.tls`]],
  ['redis: {url: "redis://u:p@redis.internal"}', [`the password of redis ${PLAIN} redis.tls`]],
  ['redis: {url: "redis+cluster://a:1,127.0.0.1:2", password: p}', [`the password of redis ${PLAIN} redis.tls`]],
  ['redis: {url: "rediss://u:p@redis.internal"}', []],
  ['redis: {url: "redis://redis.internal", username: u, password: p, tls: true}', []],
  ['redis: {url: "redis://redis.internal"}', []],
  ['redis: {url: "redis://:p@127.0.0.1"}', []],
  ['redis: {url: "redis://:p@[::1]:6379"}', []],
  [
    'redis: {url: "redis+sentinel://a:1/main", password: p, tls: true, sentinel: {username: w, password: q, tls: false}}',
    [`the password of redis.sentinel ${PLAIN} redis.sentinel.tls`],
  ],
  ['kafka: {sasl: {mechanism: plain, username: u, password: p}}', [`the password of kafka.sasl ${PLAIN} kafka.tls`]],
  ['kafka: {sasl: {mechanism: scram-sha-512, username: u, password: p}}', []],
])('what passwords go in plain text through a network is told: %s', (yaml, expected) => {
  expect(found(`${yaml}\n`)).toEqual(expected.map((message) => `warning ${message}`));
});

const folder = mkdtempSync(join(tmpdir(), 'receval-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  [0o600, false],
  [0o640, false],
  [0o440, false],
  [0o604, true],
  [0o644, true],
])('a file with a secret and the mode %o that all may read is told: %s', (mode, isTold) => {
  const path = join(folder, `secret-${mode}`);
  writeFileSync(path, 'abcdefghijklmnopqrstuvwxyz\n');
  chmodSync(path, mode);
  // As Kubernetes mounts secrets.
  const link = `${path}-link`;
  symlinkSync(path, link);
  const yaml = `http: {tokenFile: ${link}}\nkafka: {sasl: {mechanism: scram-sha-512, username: u, passwordFile: ${path}}}\n`;
  const advice = 'let its user, or its group, alone read it (chmod o= and the path)';
  const told = (name: string, file: string) =>
    `warning ${name}: every user of this machine may read ${file}: ${advice}`;
  expect([...found(yaml)].sort()).toEqual(
    isTold ? [told('http.tokenFile', link), told('kafka.sasl.passwordFile', path)].sort() : [],
  );
  const more = checkAccess(load(''), Date.now(), [{ name: 'RECEVAL_REDIS_URL_FILE', path }]);
  expect(more.map(({ level, message }) => `${level} ${message}`)).toEqual(
    isTold ? [told('RECEVAL_REDIS_URL_FILE', path)] : [],
  );
});

itWith(OPENSSL, 'how long a certificate lasts is told in days, hours or minutes', async () => {
  const authority = await Authority.make();
  const { cert, key } = await authority.sign({ name: 'worker' });
  const ends = Date.parse(new X509Certificate(readFileSync(cert)).validTo);
  const settings = load(`kafka: {tls: {cert: ${cert}, key: ${key}}}\n`);
  const told = (left: number): string[] => checkAccess(settings, ends - left).map(({ message }) => message);
  const found = `kafka.tls.cert: the certificate ends on ${new Date(ends).toISOString().slice(0, 10)}, in`;
  const minute = 60_000;
  expect(told(48 * 60 * minute)).toEqual([`${found} 2 days`]);
  expect(told(48 * 60 * minute - 1)).toEqual([`${found} 47 hours`]);
  expect(told(119 * minute)).toEqual([`${found} 119 minutes, less than a tenth of its life: renew it`]);
  expect(told(minute)).toEqual([`${found} 1 minute, less than a tenth of its life: renew it`]);
  expect(told(-1)).toEqual([expect.stringMatching(/^kafka\.tls\.cert: the certificate ended on /)]);
  authority.remove();
});

itWith(OPENSSL, 'an authority that ends is told while another can still be put beside it', async () => {
  const [authority, next] = [await Authority.make(), await Authority.make('next')];
  const { ends, begins } = new TlsContext(tlsOf({ ca: authority.ca })).caValidity ?? {
    ends: new Date(0),
    begins: new Date(0),
  };
  const [day, life] = [ends.toISOString().slice(0, 10), ends.getTime() - begins.getTime()];
  const told = (ca: string, left: number): string[] =>
    checkAccess(load(`redis: {tls: {ca: ${ca}}}\n`), ends.getTime() - left).map(
      ({ level, message }) => `${level} ${message}`,
    );
  const advice = 'put the next one into the file, beside it';
  expect(told(authority.ca, 0.11 * life)).toEqual([]);
  expect(told(authority.ca, 3 * 3_600_000)).toEqual([
    `warning redis.tls.ca: the last certificate in it ends on ${day}, in 3 hours, and then no server is known: ${advice}`,
  ]);
  expect(told(authority.ca, -1)).toEqual([
    `error redis.tls.ca: the last certificate in it ended on ${day}, so no server is known: ${advice}`,
  ]);
  const both = join(folder, 'both.pem');
  const { both: early } = await next.sign({ name: 'next', early: true, selfSigned: true });
  writeFileSync(both, readFileSync(authority.ca, 'utf8') + readFileSync(early, 'utf8'));
  expect(told(both, 3 * 3_600_000)).toEqual([]);
  authority.remove();
  next.remove();
});
