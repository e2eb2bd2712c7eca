import type { FastifyRequest } from 'fastify';
import type { Failure } from '../../core/errors.ts';
import { addressCheck } from '../http/address-check.ts';
import type { Origins } from '../http/origins.ts';

/** Restricts access to the gateway: Host and Origin against DNS rebinding, and addresses if ranges are configured. */
export function createGate(origins: Origins, ranges: readonly string[]): Origins['refusalOf'] {
  if (ranges.length === 0) return origins.refusalOf;
  const isAllowed = addressCheck(ranges);
  return (request: FastifyRequest): Failure | null =>
    isAllowed(request.ip ?? '') ? origins.refusalOf(request) : { kind: 'AddressNotAllowed' };
}
