import { Button, Group, Input, Modal, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ChartConfig, ChartTheme } from '../../src/core/chart-config.ts';
import type { Query } from '../app/wire.ts';
import { IconRefresh } from '../components/icons.tsx';
import { selectSendable } from '../components/parameters/parameter-values.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { Time } from '../components/time.tsx';
import { EmbedLinkFields } from '../embeds/embed-link-fields.tsx';
import { EmbedPreview } from '../embeds/embed-preview.tsx';
import { HostCode } from '../embeds/host-code.tsx';
import { ExpirationSelect } from '../shares/expiration-select.tsx';
import { OpenParameters } from '../shares/open-parameters.tsx';
import type { EmbedLinkState } from './use-embed-link.ts';

export interface EmbedDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly embed: EmbedLinkState;
  readonly query: Query;
  readonly config: ChartConfig;
}

/** The link to the chart, which works without signing in. */
export function EmbedDialog({ opened, onClose, embed, query, config }: EmbedDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Get Embed URL" size="lg">
      {embed.link === null ? <Questions embed={embed} query={query} /> : <Link embed={embed} link={embed.link} config={config} />}
    </Modal>
  );
}

const themes: readonly { readonly value: ChartTheme; readonly label: string }[] = [
  { value: 'auto', label: 'Match the viewer’s system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const kinds = [
  {
    value: 'issuer',
    label: 'Everyone sees my rows',
    description: 'Anyone with the URL can see the chart’s data, without signing in.',
  },
  {
    value: 'signed',
    label: 'Each viewer sees their own rows',
    description: 'Your server signs a token that says who views; the query selects their rows by its attributes.',
  },
] as const;

function Questions({ embed, query }: Pick<EmbedDialogProps, 'embed' | 'query'>) {
  const { choices, choose, isPending, error, create, isEdit, relative } = embed;
  return (
    <Stack gap="md">
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {!isEdit && (
          <ExpirationSelect value={choices.expiration} onChange={(expiration) => choose({ expiration })} disabled={isPending} />
        )}
        <Select
          label="Theme"
          data={themes}
          value={choices.theme}
          onChange={(theme) => theme !== null && choose({ theme })}
          allowDeselect={false}
        />
      </Group>
      <Radio.Group
        label="Viewers"
        value={choices.viewer}
        onChange={(value) => choose({ viewer: value === 'signed' ? value : 'issuer' })}
      >
        <Stack gap={6} mt={6}>
          {kinds.map((kind) => (
            <Radio key={kind.value} {...kind} />
          ))}
        </Stack>
      </Radio.Group>
      <OpenParameters
        label="Viewers may choose"
        description="In fields above the chart, which start with these values. The others stay fixed."
        parameters={selectSendable(query.parameters)}
        values={embed.values}
        open={choices.open}
        onChange={(open) => choose({ open })}
      />
      <TextInput
        label="Allowed pages"
        description="Pages that may frame the chart, separated by spaces. Leave empty to use the server default."
        placeholder="https://intranet.example.com"
        value={choices.frameAncestors}
        onChange={(event) => choose({ frameAncestors: event.currentTarget.value })}
      />
      {isEdit && (
        <Text size="sm" c="dimmed">
          The URL and the parameter values stay the same. Viewers see the new chart at once.
        </Text>
      )}
      {relative.length > 0 && (
        <Text size="sm" c="dimmed">
          {`${relative.map(({ ParameterName, Value }) => `${ParameterName} is ${String(Value)}`).join(', ')} at each view, so the chart stays current.`}
        </Text>
      )}
      <ProblemAlert error={error} title={isEdit ? 'The embed was not changed' : 'The URL was not created'} />
      <Group justify="flex-end">
        <Button onClick={create} loading={isPending}>
          {isEdit ? 'Save Changes' : 'Create Embed URL'}
        </Button>
      </Group>
    </Stack>
  );
}

interface LinkProps {
  readonly embed: EmbedLinkState;
  readonly link: NonNullable<EmbedLinkState['link']>;
  readonly config: ChartConfig;
}

function Link({ embed, link, config }: LinkProps) {
  const { choices, choose, differs, isPending, error, apply, regenerate } = embed;
  return (
    <Stack gap="md">
      <EmbedLinkFields
        url={link.EmbedUrl}
        iframeCode={link.IframeCode}
        neverExpires={link.ExpiresAt === null}
        isSigned={embed.isSigned}
      />
      <Stack gap={6}>
        <Group align="flex-end" grow preventGrowOverflow={false}>
          <ExpirationSelect value={choices.expiration} onChange={(expiration) => choose({ expiration })} disabled={isPending} />
          <Button variant={differs ? 'filled' : 'default'} disabled={!differs} loading={isPending} onClick={apply}>
            Apply
          </Button>
          <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} loading={isPending} onClick={regenerate}>
            Regenerate Token
          </Button>
        </Group>
        <Text size="xs" c="dimmed" role="status">
          {link.ExpiresAt === null ? 'This URL never expires' : 'This URL expires '}
          <Time at={link.ExpiresAt} never="" />. Apply changes the expiration and keeps the URL. Regenerate Token creates a new
          URL; the current one then stops working immediately.
        </Text>
      </Stack>
      <ProblemAlert error={error} title="The token was not changed" />
      {embed.isSigned ? (
        <HostCode url={link.EmbedUrl} />
      ) : (
        <Stack gap={4}>
          <Input.Label component="div">Preview</Input.Label>
          <EmbedPreview url={link.EmbedUrl} title={config.title} iframeCode={link.IframeCode} />
        </Stack>
      )}
    </Stack>
  );
}
