import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { AccessFileError } from '../../src/connections/secret.ts';
import type { TlsSettings } from '../../src/connections/security-settings.ts';
import { TlsContext } from '../../src/connections/tls.ts';
import { Authority } from '../services/certificates.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { tlsOf } from '../services/secure-kafka.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-tls-'));
let made: Promise<Authority> | undefined;
const AUTHORITY: Service<Authority> = {
  name: 'openssl',
  get: () => {
    made ??= Authority.make();
    return made;
  },
};
afterAll(async () => {
  (await made?.catch(() => undefined))?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const PHRASE = { kind: 'text', text: 'c4n4ry' } as const;

itWith(
  AUTHORITY,
  'files that do not fit are errors that name the setting, and never what they hold',
  async (authority) => {
    const one = await authority.sign({ name: 'one' });
    const other = await authority.sign({ name: 'other', passphrase: 'c4n4ry' });
    const nonsense = join(folder, 'nonsense.pem');
    writeFileSync(nonsense, 'c4n4ry');
    // What OpenSSL makes of a key by a wrong passphrase is noise, and in one of 300 cases it fails at the noise, not at the phrase.
    const noise = join(folder, 'noise.pem');
    writeFileSync(noise, '-----BEGIN ENCRYPTED PRIVATE KEY-----\nYzRuNHJ5\n-----END ENCRYPTED PRIVATE KEY-----\n');
    const wrong: readonly (readonly [Partial<TlsSettings>, RegExp])[] = [
      [{ ca: join(folder, 'none') }, /^kafka\.tls\.ca: cannot read .*none: there is no such file$/],
      [{ ca: nonsense }, /^kafka\.tls\.ca: .* holds no certificate in PEM form/],
      [{ ca: one.key }, /^kafka\.tls\.ca: .* holds no certificate in PEM form/],
      [{ cert: nonsense, key: one.key }, /^kafka\.tls\.cert: .* holds no certificate/],
      [{ cert: one.cert, key: nonsense }, /^kafka\.tls\.key: .* it is not a private key in PEM form/],
      [
        { cert: one.cert, key: other.key, passphrase: PHRASE },
        /^kafka\.tls\.key: .* the key is that of another certificate$/,
      ],
      [{ cert: other.cert, key: other.key }, /^kafka\.tls\.key: .* the key is encrypted: set passphraseFile/],
      [
        { cert: other.cert, key: other.key, passphrase: { kind: 'text', text: 'wrong' } },
        /^kafka\.tls\.key: .* the passphrase is wrong, or this OpenSSL does not know the cipher$/,
      ],
      [{ cert: one.cert, key: noise }, /^kafka\.tls\.key: .* the key is encrypted: set passphraseFile/],
      [{ cert: one.cert, key: noise, passphrase: PHRASE }, /^kafka\.tls\.key: .* the passphrase is wrong, or/],
    ];
    for (const [files, message] of wrong) {
      const make = (): TlsContext => new TlsContext(tlsOf(files));
      expect(make).toThrow(AccessFileError);
      expect(make).toThrow(message);
      expect(make).not.toThrow(/c4n4ry/);
    }
    expect(() => new TlsContext(tlsOf({ ca: authority.ca }))).not.toThrow();
    expect(() => new TlsContext(tlsOf({ cert: other.cert, key: other.key, passphrase: PHRASE }))).not.toThrow();
  },
);

itWith(AUTHORITY, 'files that change are used from the next connection on, once they fit', async (authority) => {
  const [first, second] = [await authority.sign({ name: 'first' }), await authority.sign({ name: 'second' })];
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  copyFileSync(first.cert, files.cert);
  copyFileSync(first.key, files.key);
  const tls = new TlsContext(tlsOf(files));
  const before = tls.context;
  expect(tls.context).toBe(before);
  copyFileSync(second.cert, files.cert);
  expect(tls.context).toBe(before);
  expect(tls.problem).toMatch(/the key is that of another certificate/);
  copyFileSync(second.key, files.key);
  expect(tls.context).not.toBe(before);
  expect(tls.problem).toBeUndefined();
  rmSync(files.key);
  expect(tls.context).toBeDefined();
  expect(tls.problem).toMatch(/there is no such file/);
});

itWith(AUTHORITY, 'a host is reported by name, and none by address', async (authority) => {
  const tls = new TlsContext(tlsOf({ ca: authority.ca }));
  expect(tls.options('kafka.example').servername).toBe('kafka.example');
  expect(tls.options('127.0.0.1')).not.toHaveProperty('servername');
  expect(tls.options('::1')).not.toHaveProperty('servername');
  const named = new TlsContext(tlsOf({ ca: authority.ca, serverName: 'other.example' }));
  expect(named.options('127.0.0.1').servername).toBe('other.example');
  expect(named.validity).toBeUndefined();
});
