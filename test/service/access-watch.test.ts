import { X509Certificate } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { AccessWatch, accessOf } from '../../src/service/start-watch.ts';
import { load } from '../config/fixture.ts';
import { Authority, OPENSSL } from '../services/certificates.ts';
import { itWith } from '../services/it-with.ts';
import { tlsOf } from '../services/secure-kafka.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'password');
const MINUTE = 60_000;

it('files that cannot be used are reported at once, every hour, and when it is over', () => {
  writeFileSync(path, 'c4n4ry');
  const told: string[] = [];
  const tell = (level: string) => (details: object, message: string) => {
    told.push(`${level} ${message} ${JSON.stringify(details)}`);
  };
  const source = { kind: 'file', path, setting: 'redis.passwordFile' } as const;
  const watch = new AccessWatch({ tls: [], secrets: [source] }, { info: tell('info'), warn: tell('warn') });
  const look = (minute: number) => watch.look(minute * MINUTE).map(({ problem }) => problem);

  expect(look(0)).toEqual([undefined]);
  expect(told).toEqual([]);
  writeFileSync(path, '');
  for (let minute = 1; minute < 61; minute++) expect(look(minute)).toEqual([expect.stringMatching(/ is empty$/)]);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(
    /^warn .*cannot be used: their previous content stays in use.*redis\.passwordFile.*password is empty/,
  );
  look(61);
  expect(told).toHaveLength(2);
  // Another reason is news.
  rmSync(path);
  look(62);
  look(63);
  expect(told).toHaveLength(3);
  expect(told[2]).toMatch(/^warn .*there is no such file/);
  writeFileSync(path, 'c4n4ry-new');
  look(64);
  look(65);
  expect(told).toHaveLength(4);
  expect(told[3]).toMatch(/^info .*as they should be again/);
  expect(told.join()).not.toContain('c4n4ry');
});

itWith(OPENSSL, 'authorities that end soon are reported, and no more once another is known', async () => {
  const authority = await Authority.make();
  const next = await Authority.make('next');
  const ca = join(folder, 'ca.pem');
  copyFileSync(authority.ca, ca);
  const told: string[] = [];
  const tell = (details: object, message: string): void => void told.push(`${message} ${JSON.stringify(details)}`);
  const watch = new AccessWatch(
    { tls: [{ ...tlsOf({ ca }), setting: 'redis.tls' }], secrets: [] },
    { info: tell, warn: tell },
  );
  const ends = Date.parse(new X509Certificate(readFileSync(ca)).validTo);
  watch.look(ends - 24 * 60 * MINUTE);
  expect(told).toEqual([]);
  watch.look(ends - MINUTE);
  expect(told).toEqual([expect.stringMatching(/^the last certificate in our ca ends soon.*"redis\.tls".*"ends":"20/)]);
  const { both } = await next.sign({ name: 'next', early: true, selfSigned: true });
  appendFileSync(ca, readFileSync(both));
  watch.look(ends - MINUTE);
  expect(told[1]).toMatch(/as they should be again/);
  authority.remove();
  next.remove();
});

it('all files that the configuration names are looked at, each once', () => {
  const settings = load(`
kafka:
  tls: {ca: /ca, cert: /cert, key: /key, passphraseFile: /phrase}
  sasl: {mechanism: oauthbearer, tokenEndpoint: 'https://a/t', clientId: a, clientSecretFile: /client}
redis: {url: 'redis+sentinel://a:1/main', username: u, passwordFile: /redis, tls: {ca: /redis-ca}, sentinel: {username: w, passwordFile: /watch}}
http: {tokenFile: /token}
`);
  const { tls, secrets } = accessOf(settings);
  expect(tls.map(({ setting }) => setting)).toEqual(['kafka.tls', 'redis.tls']);
  expect(secrets.map((source) => (source.kind === 'file' ? source.path : source.kind)).sort()).toEqual([
    '/client',
    '/redis',
    '/token',
    '/watch',
  ]);
});
