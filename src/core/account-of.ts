/**
 * Who owns results: an account, or a viewer of an application. Limits that protect the service count per account, so that an application
 * has no more with many viewers than with one.
 */
export const accountOf = (userId: string): string => userId.split(':', 1)[0] ?? userId;

export const isViewer = (userId: string): boolean => userId.includes(':');
