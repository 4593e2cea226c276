// What reading and writing a ZIP archive have in common: its records, all little-endian.
#ifndef LB_ARRAYIO_ZIP_H
#define LB_ARRAYIO_ZIP_H

// First word of each record, and its bytes up to the name.
#define LB_ZIP_LOCAL 0x04034b50u // before each member
#define LB_ZIP_LOCAL_BYTES 30
#define LB_ZIP_ENTRY 0x02014b50u // in the directory
#define LB_ZIP_ENTRY_BYTES 46
#define LB_ZIP_END 0x06054b50u // behind the directory
#define LB_ZIP_END_BYTES 22

// How a member is packed.
#define LB_ZIP_STORED 0
#define LB_ZIP_DEFLATED 8

#endif
