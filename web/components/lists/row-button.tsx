import { Button } from '@mantine/core';

export interface RowButtonProps {
  readonly action: string; // 'Edit'
  readonly of: string; // 'Demo': a screen reader hears 'Edit Demo'
  readonly onClick: () => void;
  readonly danger?: boolean;
  readonly isBusy?: boolean;
}

export const RowButton = ({ action, of, onClick, danger = false, isBusy = false }: RowButtonProps) => (
  <Button
    variant="subtle"
    size="compact-sm"
    {...(danger ? { color: 'red' } : {})}
    aria-label={`${action} ${of}`}
    loading={isBusy}
    onClick={onClick}
  >
    {action}
  </Button>
);
