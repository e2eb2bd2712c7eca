/**
 * Who owns results: an account, or a viewer of an application. Limits that protect the service count per account, so that an application
 * has no more with many viewers than with one.
 */
export function accountOf(userId: string): string {
  const colon = userId.indexOf(':');
  return colon < 0 ? userId : userId.slice(0, colon);
}

export const isViewer = (userId: string): boolean => userId.includes(':');
