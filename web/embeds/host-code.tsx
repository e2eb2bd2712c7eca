import { Code, Group, Input, Stack, Text } from '@mantine/core';
import { useSession } from '../app/session.tsx';
import { CopyButton } from '../components/copy/copy-button.tsx';

/** What the server of a product does to show a signed embed: instead of a preview, which would have no viewer. */
export function HostCode({ url }: { readonly url: string }) {
  const { session } = useSession();
  const code = codeOf(url, session.baseUrl);
  return (
    <Stack gap={4} component="section" aria-label="Code for your server">
      <Group justify="space-between">
        <Input.Label component="div">Code for your server (Node.js)</Input.Label>
        <CopyButton value={code} label="Copy server code" />
      </Group>
      <Code block tabIndex={0} mah={320} style={{ overflow: 'auto' }}>
        {code}
      </Code>
      <Text size="xs" c="dimmed">
        Create the application and its signing secret on the Users page. docs/embedding.md has a complete host page, and the same
        code for Python and C#.
      </Text>
    </Stack>
  );
}

const codeOf = (url: string, audience: string): string => `import { createHmac } from 'node:crypto';

const { APPLICATION_ID, SIGNING_SECRET } = process.env;
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The src of the frame, for the user who is signed in to your product. */
export function chartUrl(user) {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: APPLICATION_ID,
    aud: '${audience}',
    sub: user.id,
    name: user.name,
    attributes: user.attributes, // what the query selects their rows by, such as { region: 'North' }
    iat: now,
    exp: now + 600,
  };
  const body = \`\${encode({ alg: 'HS256', typ: 'JWT' })}.\${encode(claims)}\`;
  const secret = Buffer.from(SIGNING_SECRET, 'base64url');
  const signature = createHmac('sha256', secret).update(body).digest('base64url');
  return \`${url}&viewer=\${body}.\${signature}\`;
}
`;
