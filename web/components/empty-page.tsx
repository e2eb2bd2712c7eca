import { Paper } from '@mantine/core';
import { EmptyState, type EmptyStateProps } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

export interface EmptyPageProps extends EmptyStateProps {
  readonly page: string; // title of the page
}

/** A page that only says why it is empty. */
export const EmptyPage = ({ page, ...state }: EmptyPageProps) => (
  <>
    <PageHeader title={page} />
    <Paper withBorder>
      <EmptyState {...state} />
    </Paper>
  </>
);
