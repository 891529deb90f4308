//===- ObjectLayout.cpp - Structs and arrays as rows of values ------------===//
#include "frontend/ObjectLayout.h"

#include "frontend/ClangAst.h"
#include "frontend/Messages.h"

using namespace clang;
using namespace tkc;

/// Far more than the registers of a block could hold.
static constexpr unsigned mostValues = 4096;

//===----------------------------------------------------------------------===//
// How many values
//===----------------------------------------------------------------------===//

std::optional<unsigned> ObjectLayout::count(QualType type, SourceLocation place) {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (auto known = counts.find(type.getTypePtr()); known != counts.end())
    return known->second;
  std::optional<unsigned> values;
  if (types.isValue(type)) {
    if (types.value(type, place))
      values = 1;
  } else if (auto *array = ast.getAsConstantArrayType(type)) {
    values = count(array->getElementType(), place);
    if (values) {
      const uint64_t extent = array->getSize().getLimitedValue();
      if (*values && extent > mostValues / *values) {
        report(ast.getDiagnostics(), place, Message::object_too_large) << type << mostValues;
        values.reset();
      } else {
        values = *values * extent;
      }
    }
  } else if (auto *record = type->getAsCXXRecordDecl();
             record && record->hasDefinition() && !language.isMarked(record)) {
    values = countRecord(record->getDefinition(), place);
  } else {
    report(ast.getDiagnostics(), place, Message::part_type) << type;
  }
  return counts[type.getTypePtr()] = values;
}

bool ObjectLayout::isSupported(const CXXRecordDecl *record, SourceLocation place) {
  auto refuse = [&](llvm::StringRef what, const NamedDecl *where) {
    report(ast.getDiagnostics(), place, Message::struct_with) << record << what;
    if (where->getLocation().isValid())
      report(ast.getDiagnostics(), where->getLocation(), Message::note_declared) << where;
    return false;
  };
  if (record->isUnion())
    return refuse("is a union", record);
  if (record->isPolymorphic() || record->getNumVBases())
    return refuse("has virtual functions or bases", record);
  if (const CXXDestructorDecl *destructor = record->getDestructor();
      destructor && !destructor->isTrivial())
    return refuse("has a destructor", destructor);
  for (const FieldDecl *field : record->fields()) {
    if (field->getType()->isReferenceType() && !record->isLambda())
      return refuse("has a reference in it", field);
    if (field->getType()->isAnyPointerType() || field->getType()->isMemberPointerType())
      return refuse("has a pointer in it", field);
    if (field->isBitField())
      return refuse("has a bit-field in it", field);
  }
  return true;
}

std::optional<unsigned> ObjectLayout::countRecord(const CXXRecordDecl *record,
                                                  SourceLocation place) {
  if (!isSupported(record, place))
    return std::nullopt;
  unsigned sum = 0;
  auto add = [&](QualType type, const NamedDecl *part) {
    std::optional<unsigned> values = count(type, place);
    if (!values) {
      if (part->getLocation().isValid())
        report(ast.getDiagnostics(), part->getLocation(), Message::note_part_of) << record;
      return false;
    }
    sum += *values;
    if (sum <= mostValues)
      return true;
    report(ast.getDiagnostics(), place, Message::object_too_large)
        << ast.getRecordType(record) << mostValues;
    return false;
  };
  for (const CXXBaseSpecifier &base : record->bases())
    if (!add(base.getType(), record))
      return std::nullopt;
  for (const FieldDecl *field : record->fields())
    // A lambda finds an object captured by reference where it is.
    if (!field->getType()->isReferenceType() && !add(field->getType(), field))
      return std::nullopt;
  return sum;
}

unsigned ObjectLayout::counted(QualType type) {
  if (type->isReferenceType())
    return 0;
  return counts.lookup(type.getCanonicalType().getUnqualifiedType().getTypePtr()).value_or(0);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Object ObjectLayout::field(Object object, const FieldDecl *field) {
  auto *record = cast<CXXRecordDecl>(field->getParent());
  unsigned first = object.first;
  for (const CXXBaseSpecifier &base : record->bases())
    first += counted(base.getType());
  for (const FieldDecl *other : record->fields()) {
    if (other->getCanonicalDecl() == field->getCanonicalDecl())
      break;
    first += counted(other->getType());
  }
  return {field->getType(), first};
}

Object ObjectLayout::base(Object object, const CXXRecordDecl *base) {
  unsigned first = object.first;
  const CXXRecordDecl *record = object.type.getNonReferenceType()->getAsCXXRecordDecl();
  for (const CXXBaseSpecifier &other : record->bases()) {
    if (other.getType()->getAsCXXRecordDecl()->getCanonicalDecl() == base->getCanonicalDecl())
      return {other.getType(), first};
    first += counted(other.getType());
  }
  return {ast.getRecordType(base), first};
}

Object ObjectLayout::element(Object array, unsigned index) {
  QualType type = ast.getAsArrayType(array.type.getNonReferenceType())->getElementType();
  return {type, array.first + index * counted(type)};
}

//===----------------------------------------------------------------------===//
// The value in a slot
//===----------------------------------------------------------------------===//

QualType ObjectLayout::descend(QualType type, unsigned index,
                               llvm::function_ref<void(llvm::StringRef, unsigned)> step) {
  type = type.getNonReferenceType();
  while (!types.isValue(type)) {
    if (auto *array = ast.getAsConstantArrayType(type)) {
      type = array->getElementType();
      const unsigned each = counted(type);
      step({}, index / each);
      index %= each;
      continue;
    }
    auto *record = type->getAsCXXRecordDecl();
    // The part that has slot `index`.
    bool found = false;
    auto enter = [&](QualType part, llvm::StringRef name) {
      const unsigned values = counted(part);
      if (index >= values) {
        index -= values;
        return false;
      }
      if (!name.empty())
        step(name, 0);
      type = part;
      return found = true;
    };
    for (const CXXBaseSpecifier &base : record->bases())
      if (enter(base.getType(), {}))
        break;
    if (found)
      continue;
    for (const FieldDecl *field : record->fields())
      if (enter(field->getType(), field->getName()))
        break;
    if (!found)
      return {};
  }
  return type;
}

QualType ObjectLayout::typeOf(QualType type, unsigned index) {
  return descend(type, index, [](llvm::StringRef, unsigned) {});
}

std::string ObjectLayout::pathOf(QualType type, unsigned index) {
  std::string path;
  descend(type, index, [&](llvm::StringRef field, unsigned element) {
    path += field.empty() ? ("[" + llvm::Twine(element) + "]").str() : ("." + field).str();
  });
  return path;
}

std::string ObjectLayout::suffixOf(QualType type, unsigned index) {
  std::string suffix;
  descend(type, index, [&](llvm::StringRef field, unsigned element) {
    suffix += '_';
    suffix += field.empty() ? std::to_string(element) : field.str();
  });
  return suffix;
}
