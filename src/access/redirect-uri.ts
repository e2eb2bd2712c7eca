/** Where an application receives its code: a page of a host, this computer, or an application of this computer by its own scheme. */
export interface RedirectTarget {
  readonly kind: 'web' | 'loopback' | 'app';
  readonly host: string; // `claude.ai`, `127.0.0.1:4711`, or `cursor:`
}

const MAX_LENGTH = 2000;
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes of browsers, operating systems and other protocols. Everything else is an application's own. */
const foreignSchemes = new Set(
  (
    'javascript data vbscript blob file filesystem about chrome edge resource view-source jar content intent market urn search ' +
    'ftp ftps sftp ssh telnet gopher smb cifs nfs dav davs ldap ldaps rdp vnc ws wss git svn itms itms-services ' +
    'mailto tel callto sms sip sips xmpp irc news nntp webcal feed magnet'
  ).split(' '),
);
const isForeign = (scheme: string): boolean =>
  foreignSchemes.has(scheme) || /^(ms|search|shell)-/.test(scheme) || scheme.endsWith('-extension');

/** Null: the URI cannot be a redirect of an application. */
export function readRedirect(uri: string): RedirectTarget | null {
  // visible ASCII: browsers and URL parsers disagree about the rest
  if (uri.length > MAX_LENGTH || !/^[!-~]+$/.test(uri) || /[\\#]/.test(uri) || !URL.canParse(uri)) return null;
  const { protocol, username, password, hostname, host } = new URL(uri);
  if (username !== '' || password !== '') return null;
  if (protocol === 'http:') return loopbackNames.has(hostname) ? { kind: 'loopback', host } : null;
  if (protocol === 'https:') return loopbackNames.has(hostname) ? null : { kind: 'web', host };
  return isForeign(protocol.slice(0, -1)) ? null : { kind: 'app', host: protocol };
}

/** Whether a host is in a list of `host` or `host:port`. URLs omit the port of https. */
export function isListedHost(host: string, listed: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '');
  return listed.some((each) => [host, name, `${host}:443`].includes(each.toLowerCase()));
}
