/** The data was moved to another database, or a move was interrupted. The message says where the data is, and what to do. */
export class DataMoved extends Error {
  override readonly name = "DataMoved";
}
