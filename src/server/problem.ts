import { STATUS_CODES } from 'node:http';

export const PROBLEM_TYPE = 'application/problem+json';

/** The body of an error (RFC 9457). */
export function problem(status: number, detail: string, more: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...more })}\n`;
}
