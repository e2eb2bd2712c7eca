import { Button, Modal, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../app/session.tsx';
import type { DataLink } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconLink, IconTable } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { ShareAction } from '../shares/share-action.tsx';
import { MASKED } from '../shares/share-kind.ts';
import { ShareList } from '../shares/share-list.tsx';
import { linkAddress, ownAddress } from './data-address.ts';
import { LinkAddress } from './link-address.tsx';
import { dataLinks } from './link-kind.tsx';
import { OwnAddress } from './own-address.tsx';
import { RecipeTabs } from './recipe-tabs.tsx';

/** The links to rows. */
export function DataLinksPage() {
  const [{ search = '' }] = useSearchParams();
  const [used, setUsed] = useState<DataLink | null>(null);
  return (
    <>
      <PageHeader
        title="Data links"
        description="Addresses that return the current rows of a query without signing in. Anyone with a link can read its rows."
        actions={<CurlButton operation="GET /api/v1/links" parts={{ query: { search } }} />}
      />
      <ShareList
        kind={dataLinks}
        view={(link) => <ShareAction kind={dataLinks} share={link} label="Use" icon={IconTable} onClick={() => setUsed(link)} />}
        empty={<NoLinks />}
      />
      {used !== null && <UseDialog link={used} onClose={() => setUsed(null)} />}
    </>
  );
}

/** The addresses of a link, and what to paste or open in each program. */
function UseDialog({ link, onClose }: { readonly link: DataLink; readonly onClose: () => void }) {
  const { session } = useSession();
  const { format, queryName, parameters, name } = link;
  const isMasked = ([, value]: [string, unknown]) => value === MASKED;
  const entries = Object.entries(parameters);
  const own = ownAddress(session, queryName, format, Object.fromEntries(entries.filter((each) => !isMasked(each))));
  return (
    <Modal opened onClose={onClose} title={name} size="lg">
      <Stack gap="md">
        <OwnAddress own={own} masked={entries.filter(isMasked).map(([each]) => each)} />
        <LinkAddress link={link} />
        <RecipeTabs own={own} link={linkAddress(link)} />
      </Stack>
    </Modal>
  );
}

const NoLinks = () => (
  <EmptyState
    title="No data links yet"
    icon={IconLink}
    action={
      <Button mt="xs" renderRoot={(props) => <Link to="/queries" {...props} />}>
        Queries
      </Button>
    }
  >
    Open a query and choose Get data link.
  </EmptyState>
);
