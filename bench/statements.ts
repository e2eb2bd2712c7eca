const columns = 'id, sold_at, region, product, channel, units, amount, note';

/** The statements of both servers, with one parameter each. */
export const statements = {
  one: `select ${columns} from sales where id = @Id`,
  page: `select ${columns} from sales where region = @Region order by id limit 1000`,
  keyset: `select ${columns} from sales where id > @Id order by id limit 1000`,
};

/** The statements of Sluice alone, for paging and exports. */
export const allRows = `select ${columns} from sales order by id`;
export const tenthOfRows = `select ${columns} from sales where id <= 100000 order by id`;
