/** The path below which the service is reachable: `/sluice`, or empty. The service writes it into the page. */
const basePath = typeof document === 'undefined' ? '' : (document.documentElement.dataset.base ?? '/').slice(0, -1);

/** The address of a path of the service for the browser. */
export const withBasePath = (path: string): string => basePath + path;

/** The path of the service that an address of the browser leads to. */
export const removeBasePath = (address: string): string => (isBelow(address) ? address.slice(basePath.length) || '/' : address);

/** A name in the browser's storage, which services with other base paths on the same host share. */
export const storageKey = (name: string): string => name + basePath;

/** Whether the page is below the base path. One that was opened past the proxy is not, nor is its cookie valid; it moves there. */
export function openBelowBasePath(location: Location): boolean {
  if (isBelow(location.pathname)) return true;
  location.replace(withBasePath(location.pathname) + location.search + location.hash);
  return false;
}

/** Ignores case, as the service does. */
const isBelow = (address: string): boolean =>
  address.toLowerCase().startsWith(basePath.toLowerCase()) && /^([/?#]|$)/.test(address.slice(basePath.length));
