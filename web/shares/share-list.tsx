import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useSession } from '../app/session.tsx';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconLock, IconRefresh, IconTrash } from '../components/icons.tsx';
import { actionsColumn, type Column, DataTable } from '../components/lists/data-table.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useList } from '../components/lists/use-list.ts';
import { useRemove } from '../components/lists/use-remove.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TechnicalName } from '../components/technical-name.tsx';
import { Time } from '../components/time.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { RegenerateDialog } from './regenerate-dialog.tsx';
import { actionName, detailsId, ShareAction } from './share-action.tsx';
import type { Share, ShareKind } from './share-kind.ts';

export interface ShareListProps<S extends Share> {
  readonly kind: ShareKind<S>;
  readonly picture?: (share: S) => ReactNode;
  readonly view: (share: S) => ReactNode; // the first action, of a valid share
  readonly more?: (share: S) => ReactNode; // further actions of those who may create
  readonly empty: ReactNode;
}

/** The embeds or the data links: when they expire, how often they were used, and how to revoke them. */
export function ShareList<S extends Share>({ kind, picture, view, more, empty }: ShareListProps<S>) {
  const { session, can } = useSession();
  const [{ search = '' }] = useSearchParams();
  const list = useList([kind.key, search], (cursor, signal) => kind.list({ search, cursor }, signal));
  const [regenerated, setRegenerated] = useState<S | null>(null);
  const { remove, refusal } = useRemove(kind.key);
  const revoke = (share: S) =>
    remove({
      name: kind.nameOf(share),
      message: `${kind.detailsOf(share)}. ${kind.revokeText}`,
      action: 'Revoke',
      done: `Revoked “${kind.nameOf(share)}”.`,
      work: () => kind.revoke(share.id),
    });
  const mayCreate = can(kind.permission);
  const { words } = kind;
  const hasOthers = list.items.some(({ issuer }) => issuer !== session.username);
  const columns: readonly Column<S>[] = [
    { header: words.share, render: (share) => <Name kind={kind} share={share} picture={picture?.(share)} /> },
    { header: 'Query', render: ({ queryName }) => <QueryLink to={kind.queryPage} queryName={queryName} /> },
    ...(hasOthers ? [{ header: 'Issued by', render: ({ issuer }: S) => issuer }] : []),
    { header: 'Expires', render: (share) => <Expiry share={share} /> },
    { header: words.views, align: 'right', render: ({ views }) => <span className="tabular">{views.toLocaleString('en')}</span> },
    { header: words.lastUse, render: (share) => <Time at={kind.lastUseOf(share)} as="relative" never={words.unused} /> },
    {
      width: 264,
      ...actionsColumn((share: S) => {
        const url = kind.urlOf(share);
        return (
          <Group gap={2} justify="flex-end" maw={240} ml="auto">
            {url !== null && share.state === 'valid' && (
              <>
                {view(share)}
                <CopyButton
                  withText
                  size="compact-xs"
                  variant="subtle"
                  value={url}
                  label="Copy URL"
                  name={actionName('Copy URL', kind.nameOf(share))}
                />
              </>
            )}
            {mayCreate && url !== null && more?.(share)}
            {mayCreate && (
              <ShareAction
                {...{ kind, share }}
                label="Regenerate Token"
                icon={IconRefresh}
                onClick={() => setRegenerated(share)}
              />
            )}
            <ShareAction {...{ kind, share }} label="Revoke" icon={IconTrash} color="red" onClick={() => void revoke(share)} />
          </Group>
        );
      }),
    },
  ];
  return (
    <>
      <Stack gap="sm">
        <SearchField label={`Search ${kind.title.toLowerCase()}`} />
        <ProblemAlert {...refusal} />
        <DataTable
          label={kind.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          minWidth={980}
          empty={
            search !== '' ? (
              <EmptyState title={`Nothing found for “${search}”`} />
            ) : mayCreate ? (
              empty
            ) : (
              <NotAllowed kind={kind} />
            )
          }
        />
      </Stack>
      {regenerated !== null && <RegenerateDialog kind={kind} share={regenerated} onClose={() => setRegenerated(null)} />}
    </>
  );
}

/** For users who have none and may not create one. */
const NotAllowed = ({ kind: { title, permission } }: { readonly kind: Pick<ShareKind<Share>, 'title' | 'permission'> }) => (
  <EmptyState title={`No ${title.toLowerCase()}`} icon={IconLock}>
    To create one, you need the permission <Code>{permission}</Code>. Ask an administrator for a role that has it.
  </EmptyState>
);

interface NameProps<S extends Share> {
  readonly kind: ShareKind<S>;
  readonly share: S;
  readonly picture: ReactNode;
}

function Name<S extends Share>({ kind, share, picture }: NameProps<S>) {
  return (
    <Group gap="sm" wrap="nowrap" align="center">
      {picture}
      <Stack gap={0}>
        <Text size="sm" fw={600} dir="auto" lineClamp={2}>
          {kind.nameOf(share)}
        </Text>
        <Text size="xs" c="dimmed" dir="auto" lineClamp={3} id={detailsId(share)} style={{ overflowWrap: 'anywhere' }}>
          {kind.detailsOf(share)}
        </Text>
      </Stack>
    </Group>
  );
}

function QueryLink({ to, queryName }: { readonly to: ShareKind<Share>['queryPage']; readonly queryName: string }) {
  return (
    <Anchor renderRoot={(props) => <Link to={to} search={{ query: queryName }} {...props} />}>
      <TechnicalName color="inherit">{queryName}</TechnicalName>
    </Anchor>
  );
}

function Expiry({ share: { state, expiresAt } }: { readonly share: Share }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Time at={expiresAt} never="Never" />
      {state === 'expired' && <StatusBadge status="expired" />}
    </Group>
  );
}
