import type { ApplicationRequest } from '../app/api-types.ts';

type Application = ApplicationRequest['application'];
type Redirect = ApplicationRequest['redirect'];

export type Identity = Pick<Application, 'source' | 'documentHost'>;

/** What is known about the name of an application. Green only if an administrator registered it: any host can publish any name. */
export function verificationOf({ source, documentHost }: Identity): { readonly text: string; readonly color: string } {
  if (source === 'registered') return { text: 'Registered by an administrator', color: 'teal' };
  if (source === 'document') return { text: `Published by ${documentHost}`, color: 'gray' };
  return { text: 'Name not verified', color: 'yellow' };
}

export function describeTarget(kind: Redirect['kind']): string {
  if (kind === 'web') return 'You will be sent to';
  if (kind === 'loopback') return 'You will be sent to a program on this computer';
  return 'You will be sent to the application on this computer that opens';
}

/** What a person should know before they allow an application. */
export function listWarnings({ application, redirect }: Pick<ApplicationRequest, 'application' | 'redirect'>): readonly string[] {
  return [
    ...(application.source === 'dynamic' ? ['The application chose its name itself. Nobody has verified it.'] : []),
    ...(redirect.kind === 'loopback' ? ['Any program on this computer can wait at this address, under any name.'] : []),
    ...(redirect.kind === 'app' ? ['Any application on this computer can open such addresses, under any name.'] : []),
    ...(redirect.kind === 'web' && application.source === 'document' && redirect.host !== application.documentHost
      ? [`The application is described by ${application.documentHost}, but you will be sent to another host.`]
      : []),
    ...([redirect.host, application.documentHost ?? ''].some(isEncoded)
      ? ['The name of the host has letters that can look like others. It is shown encoded, starting with xn--.']
      : []),
  ];
}

/** An internationalized host name (punycode). */
const isEncoded = (host: string): boolean => host.split('.').some((label) => label.toLowerCase().startsWith('xn--'));
