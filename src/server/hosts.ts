import { isIP } from 'node:net';

export interface HostRule {
  /** The address that is listened on. */
  readonly listens: string;
  /** Names beside addresses and localhost; `.example.com`: all below it. undefined: any, unless it listens on loopback. */
  readonly allowed: readonly string[] | undefined;
}

/** A name or an IPv4 address, or an IPv6 address in brackets, and perhaps a port; nothing at all will do (RFC 9110, section 7.2). */
const HOST = /^(?:[\w.-]*|\[[\da-f:.]+(?:%[\w.-]+)?\])(?::\d*)?$/i;

/** Whether a Host header is one at all: a list of them is none. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/**
 * Whether a request may ask by this Host header. A name in another's DNS may point at this machine, so a page that was
 * opened from there must not read what we show (DNS rebinding). An address cannot be pointed anywhere else.
 */
export function isAllowedHost(host: string | undefined, { listens, allowed }: HostRule): boolean {
  // Only HTTP/1.0 may leave it out, and no browser does.
  if (host === undefined) return true;
  const name = nameOf(host);
  if (isLoopback(name)) return true;
  if (allowed === undefined) return !isLoopback(listens);
  return isIP(name) !== 0 || allowed.some((one) => matches(name, one.toLowerCase()));
}

function matches(name: string, allowed: string): boolean {
  return allowed.startsWith('.') ? name.endsWith(allowed) && name.length > allowed.length : name === allowed;
}

/** Without port, brackets and the dot of the root. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
