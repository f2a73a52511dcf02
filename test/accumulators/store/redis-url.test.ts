import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRedisUrl, RedisUrlError, shownTarget } from '../../../src/accumulators/store/redis-url.ts';

const NOBODY = { username: undefined, password: undefined };

describe('parseRedisUrl', () => {
  it.each([
    [
      'redis://localhost:6379',
      { kind: 'server', ...NOBODY, address: { host: 'localhost', port: 6379 }, tls: false, db: 0 },
    ],
    ['redis://h', { kind: 'server', ...NOBODY, address: { host: 'h', port: 6379 }, tls: false, db: 0 }],
    ['redis://h/', { kind: 'server', ...NOBODY, address: { host: 'h', port: 6379 }, tls: false, db: 0 }],
    ['rediss://h:1/3', { kind: 'server', ...NOBODY, address: { host: 'h', port: 1 }, tls: true, db: 3 }],
    ['redis://[::1]:65535', { kind: 'server', ...NOBODY, address: { host: '::1', port: 65_535 }, tls: false, db: 0 }],
    [
      'redis+sentinel://a:1,b/main',
      {
        kind: 'sentinel',
        ...NOBODY,
        addresses: [
          { host: 'a', port: 1 },
          { host: 'b', port: 26_379 },
        ],
        master: 'main',
      },
    ],
    [
      'redis+cluster://u:p@a:1,b',
      {
        kind: 'cluster',
        username: 'u',
        password: 'p',
        addresses: [
          { host: 'a', port: 1 },
          { host: 'b', port: 6379 },
        ],
      },
    ],
  ])('reads %s', (url, target) => {
    expect(parseRedisUrl(url)).toEqual(target);
  });

  it.each([
    ['redis://:secret@h', undefined, 'secret'],
    ['redis://u:a:b@h', 'u', 'a:b'],
    ['redis://u:p@ss/w?rd,#@h:1', 'u', 'p@ss/w?rd,#'],
    ['redis://u:p%40ss%2F@h', 'u', 'p@ss/'],
    ['redis://u:100%@h', 'u', '100%'],
    ['redis://u:@h', 'u', undefined],
  ])('reads the credentials of %s', (url, username, password) => {
    expect(parseRedisUrl(url)).toMatchObject({ username, password, address: { host: 'h' } });
  });

  it('gives back any password that was percent-encoded, and never shows it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (password) => {
        const target = parseRedisUrl(`redis://user:${encodeURIComponent(password)}@host:1`);
        expect(target).toMatchObject({ username: 'user', password, address: { host: 'host', port: 1 } });
        expect(shownTarget(target)).toBe('redis://host:1');
      }),
    );
  });

  it.each([
    'redis://h:6379',
    'rediss://[::1]:1/15',
    'redis+sentinel://a:1,b:2/main',
    'redis+cluster://a:1,[fe80::1]:2',
  ])('shows %s as it is', (url) => {
    expect(shownTarget(parseRedisUrl(url))).toBe(url);
  });

  it.each([
    'http://h',
    'h:6379',
    '',
    'redis://',
    'redis://h:0',
    'redis://h:65536',
    'redis://h:port',
    'redis://a,b',
    'redis://h/db',
    'redis://canary@h',
    'redis+sentinel://a:1',
    'redis+sentinel://a:1/',
    'redis+sentinel://a:1,/m',
    'redis+cluster://a:1/0',
  ])('refuses %s with the forms that it knows, and without the text', (url) => {
    expect(() => parseRedisUrl(url)).toThrow(RedisUrlError);
    expect(() => parseRedisUrl(url)).toThrow('redis+sentinel://host:port,host:port/master');
    expect(() => parseRedisUrl(url)).not.toThrow('canary');
  });
});
