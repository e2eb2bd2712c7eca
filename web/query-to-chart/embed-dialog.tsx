import { Button, Group, Input, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ChartConfig, ChartTheme } from '../../src/core/chart-config.ts';
import { IconRefresh } from '../components/icons.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { Time } from '../components/time.tsx';
import { EmbedLinkFields } from '../embeds/embed-link-fields.tsx';
import { EmbedPreview } from '../embeds/embed-preview.tsx';
import { ExpirationSelect } from '../embeds/expiration-select.tsx';
import type { EmbedLinkState } from './use-embed-link.ts';

export interface EmbedDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly embed: EmbedLinkState;
  readonly config: ChartConfig;
}

/** The link to the chart, which works without signing in. */
export function EmbedDialog({ opened, onClose, embed, config }: EmbedDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Get Embed URL" size="lg">
      {embed.link === null ? <Questions embed={embed} /> : <Link embed={embed} link={embed.link} config={config} />}
    </Modal>
  );
}

const themes: readonly { readonly value: ChartTheme; readonly label: string }[] = [
  { value: 'auto', label: 'Match the viewer’s system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function Questions({ embed }: { readonly embed: EmbedLinkState }) {
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
      <TextInput
        label="Allowed pages"
        description="Pages that may frame the chart, separated by spaces. Leave empty to use the server default."
        placeholder="https://intranet.example.com"
        value={choices.frameAncestors}
        onChange={(event) => choose({ frameAncestors: event.currentTarget.value })}
      />
      <Text size="sm" c="dimmed">
        {isEdit
          ? 'The URL and the parameter values stay the same. Viewers see the new chart at once.'
          : 'Anyone with the URL can see the chart’s data, without signing in.'}
      </Text>
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
      <EmbedLinkFields url={link.EmbedUrl} iframeCode={link.IframeCode} neverExpires={link.ExpiresAt === null} />
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
      <Stack gap={4}>
        <Input.Label component="div">Preview</Input.Label>
        <EmbedPreview url={link.EmbedUrl} title={config.title} chartHeight={config.chartHeight} />
      </Stack>
    </Stack>
  );
}
