import { isIP } from 'node:net';

interface HostRule {
  /** The address on which the server listens. */
  readonly listens: string;
  /** Allowed names besides addresses and localhost; `.example.com`: all names below it. undefined: any name, unless it listens on loopback. */
  readonly allowed: readonly string[] | undefined;
}

/** A name or an IPv4 address, or an IPv6 address in brackets, with an optional port; may be empty (RFC 9110, section 7.2). */
const HOST = /^(?:[\w.-]*|\[[\da-f:.]+(?:%[\w.-]+)?\])(?::\d*)?$/i;

/** Whether a Host header is valid: a list of several is not. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/**
 * Whether requests with this Host header are allowed. A name in a foreign DNS may point at this machine, and a page opened from there
 * must not read our pages (DNS rebinding). An address cannot point anywhere else.
 */
export function isAllowedHost(host: string | undefined, { listens, allowed }: HostRule): boolean {
  // Only HTTP/1.0 may omit it, and no browser does.
  if (host === undefined) return true;
  const name = nameOf(host);
  if (isLoopback(name)) return true;
  if (allowed === undefined) return !isLoopback(listens);
  return isIP(name) !== 0 || allowed.some((one) => matches(name, one.toLowerCase()));
}

function matches(name: string, allowed: string): boolean {
  return allowed.startsWith('.') ? name.endsWith(allowed) && name.length > allowed.length : name === allowed;
}

/** The host without port, brackets and the dot of the root. */
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
