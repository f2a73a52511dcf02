import { expect, it } from 'vitest';
import { judgeAccess } from '../../src/service/doctor-access.ts';
import { load } from '../config/fixture.ts';

const found = (yaml: string): readonly string[] =>
  judgeAccess(load(yaml), Date.now()).map(({ level, message }) => `${level} ${message}`);

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
